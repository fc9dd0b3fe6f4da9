# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# bash completion for ftcheck(1)

# The ports of the channel adapter named by -C on the command line, or of all.
_ftcheck_ports()
{
	local i ca='*'

	for ((i = 1; i < COMP_CWORD - 1; i++)); do
		case ${COMP_WORDS[i]} in
		-C | --Ca | --ca)
			ca=${COMP_WORDS[i + 1]}
			[[ $ca == '=' ]] && ca=${COMP_WORDS[i + 2]}
			;;
		esac
	done
	# The adapter's name is the user's text: quoted unless it is our own star.
	if [[ $ca == '*' ]]; then
		set -- /sys/class/infiniband/*/ports/*
	else
		set -- "/sys/class/infiniband/$ca/ports/"*
	fi
	for i; do
		[[ -e $i ]] && printf '%s\n' "${i##*/}"
	done | sort -un
}

_ftcheck_cas()
{
	local path

	for path in /sys/class/infiniband/*; do
		[[ -e $path ]] && printf '%s\n' "${path##*/}"
	done
}

_ftcheck()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local equals=''
	local options='--plan --catalog --cables --from --since --diff --before --state-directory --node-name-map --save --routes --status --sm --counters --build --state --clean --day --accept --candidate --by --why --repair --after --throughput --workload --switch --warning --critical --format --verbose --Ca --Port --m_key --config --timeout --outstanding_smps --engine
		--max-smps-per-switch --max-smps-per-second --retries --deadline --list-codes --help --version -w -c -v -C -P -y -z -t -o -h -V'

	# "--format=json" comes as three words.
	if [[ $cur == '=' ]]; then
		cur='' equals=1
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]} equals=1
	fi
	# Its value stands behind a "=", or there is none.
	[[ ( $prev == --status || $prev == --counters ) && -z $equals ]] && prev=''

	COMPREPLY=()
	case $prev in
	--plan | --cables | --from | --since | --diff | --before | --node-name-map | --save | --state | --candidate | --routes | -z | --config)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	--state-directory)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		;;
	--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json nagios svg dot csv' -- "$cur")
		;;
	--engine)
		mapfile -t COMPREPLY < <(compgen -W 'auto libibnetdisc libibumad' -- "$cur")
		;;
	-C | --Ca | --ca)
		mapfile -t COMPREPLY < <(compgen -W "$(_ftcheck_cas)" -- "$cur")
		;;
	-P | --Port | --port)
		mapfile -t COMPREPLY < <(compgen -W "$(_ftcheck_ports)" -- "$cur")
		;;
	--clean | --day | --accept | --by | --why | --after | --workload | --switch | -w | --warning | -c | --critical | -y | --m_key | -t | --timeout | -o | --outstanding_smps | --max-smps-per-switch | --max-smps-per-second | --retries | \
		--deadline | --status | --counters)
		# A number or an address: nothing to propose.
		;;
	*)
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
		;;
	esac
}

complete -F _ftcheck ftcheck
