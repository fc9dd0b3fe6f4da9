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
		mapfile -t COMPREPLY < <(compgen -W 'text json csv cables bom svg dot ibsim ibdm ibnl slurm opensm opensm-cn vlans macs linux-bridge openvswitch switch-settings' -- "$cur")
		return
		;;
	--catalog)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W 'mellanox-fdr-2013 hp-blade-fdr-2013 infiniband' -- "$cur"; compgen -f -- "$cur")
		return
		;;
	--objective)
		mapfile -t COMPREPLY < <(compgen -W 'cost power_w size_u weight_kg switches cables' -- "$cur")
		return
		;;
	--topology)
		mapfile -t COMPREPLY < <(compgen -W 'auto star fat-tree torus mesh hypercube ring hyperx slim-fly polarfly dragonfly dragonfly+ random clos any' -- "$cur")
		return
		;;
	--compare)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W 'all star fat-tree torus mesh hypercube ring hyperx slim-fly polarfly dragonfly dragonfly+ random clos' -- "$cur"; compgen -f -- "$cur")
		return
		;;
	--throughput)
		mapfile -t COMPREPLY < <(compgen -W 'all-to-all permutation worst-matching' -- "$cur")
		return
		;;
	--levels)
		mapfile -t COMPREPLY < <(compgen -W '2 3' -- "$cur")
		return
		;;
	--workload)
		mapfile -t COMPREPLY < <(compgen -W 'all-to-all binary-tree butterfly near-neighbor n-bodies random:' -- "$cur")
		return
		;;
	--placement)
		mapfile -t COMPREPLY < <(compgen -W 'auto consecutive 5x4' -- "$cur")
		return
		;;
	--routing)
		mapfile -t COMPREPLY < <(compgen -W 'static adaptive minimal' -- "$cur")
		return
		;;
	--switch-latency | --host-overhead)
		return
		;;
	--nodes | --nodes-max | --blocking | --alternatives | --pareto | --stages | --gap | --seed | --switch | --name)
		return
		;;
	-o | --output | --against | --infer | --cables | --from | --node-name-map)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W '--format --catalog --alternatives --pareto --stages --compare --throughput --verbose --gap --workload --against --placement --routing --switch-latency --host-overhead --seed --walk --switch --infer --cables --from --node-name-map --name --nodes --topology --nodes-max --blocking --levels
			--objective --prefer-expandable --output --help --version -o -v -h -V' -- "$cur")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

complete -F _ftplan ftplan
