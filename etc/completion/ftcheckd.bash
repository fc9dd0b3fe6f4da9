# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# bash completion for ftcheckd(8)

# The sections of the configuration file that is named on the command line, or of the usual one.
_ftcheckd_instances()
{
	local i config=/etc/ftcheck/ftcheckd.conf

	for ((i = 1; i < COMP_CWORD - 1; i++)); do
		if [[ ${COMP_WORDS[i]} == --config ]]; then
			config=${COMP_WORDS[i + 1]}
			[[ $config == '=' ]] && config=${COMP_WORDS[i + 2]}
		fi
	done
	[[ -f $config ]] && sed -n 's/^[[:space:]]*\[[[:space:]]*\([[:alnum:]_.:@-]*\)[[:space:]]*\].*/\1/p' \
		-- "$config" 2>/dev/null
}

_ftcheckd()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options='--config --instance --state-directory --check-config --help --version -h -V'

	# "--config=FILE" comes as three words.
	if [[ $cur == '=' ]]; then
		cur=''
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	COMPREPLY=()
	case $prev in
	--config)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	--state-directory)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		;;
	--instance)
		mapfile -t COMPREPLY < <(compgen -W "$(_ftcheckd_instances)" -- "$cur")
		;;
	*)
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
		;;
	esac
}

complete -F _ftcheckd ftcheckd
