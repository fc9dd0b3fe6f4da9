# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# bash completion for ftplan(1)

_ftplan()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	# "--format=json" comes as three words.
	if [[ $cur == '=' ]]; then
		cur=''
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	COMPREPLY=()
	case $prev in
	--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json ibsim' -- "$cur")
		return
		;;
	-o | --output)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--format --output --help --version -o -h' -- "$cur")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

complete -F _ftplan ftplan
