# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
#
# Every finding that a two-level fabric on ibsim can give, one after the other, in a fabric of E x C switches and
# bundles of B. To be sourced after faults.sh.

# core_verdict CORES: what one of them without power is: of two, half the bisection is lost.
core_verdict()
{
	[ "$1" -le 2 ] && echo critical || echo warning
}

# A moved cable's new end is where hosts were: 36-port switches that are full have no spare ports.
cases_tight() { # E C B
	local edges=$1 cores=$2 bundle=$3
	local last uplinks=$((cores * bundle)) total=$(($1 * $2 * $3))

	printf -v last 'edge%03d' "$edges"
	design nodes=$((edges * 18)) edge='{"ports": 36}' core='{"ports": 36}' >"$SIM_DIR/design.json"
	plan "$SIM_DIR/design.json"
	fabric

	check "healthy" uplinks.planned=$total uplinks.up=$total hosts.found=$((edges * 18))

	pull edge002 core02 1
	check "a cable pulled" verdict=warning "cable-missing:$(at edge002 core02)x1" uplinks.missing=1 \
		"ports:cable-missing:$(port_at edge002 core02 1),$(port_at core02 edge002 1)" \
		evidence:cable-missing=absent "text:cable-missing=edge002 port ${PORT[edge002 core02 1]}" \
		edge.degraded=1 core.degraded=1 "degraded=$(at edge002 core02)"

	pull edge001 core01 1
	pull "$last" core02 1
	check "cables of two pairs pulled" verdict=warning "cable-missing:$(at edge001 core01)x1" \
		"cable-missing:$(at "$last" core02)x1" uplinks.missing=2 edge.degraded=2 core.degraded=2 \
		"degraded=$(at edge001 "$last" core01 core02)"

	if ((bundle > 1)); then
		pull edge001 core02 1
		pull edge001 core02 3
		check "two cables of one pair pulled" verdict=warning "cable-missing:$(at edge001 core02)x2" \
			uplinks.missing=2 edge.degraded=1 core.degraded=1 "degraded=$(at edge001 core02)"
	fi

	swap edge001 core01 1 edge002 core02 1
	check "two cables swapped" verdict=warning "cables-swapped:$(at edge001 edge002 core01 core02)" \
		"ports:cables-swapped:$(port_at edge001 core01 1),$(port_at core02 edge002 1),$(
			port_at edge002 core02 1),$(port_at core01 edge001 1)" \
		uplinks.misplaced=2 edge.degraded=2 core.degraded=2 "degraded=$(at edge001 edge002 core01 core02)"

	if ((cores > 2)); then
		swap edge001 core01 1 edge002 core02 1 edge003 core03 1
		check "three cables swapped" verdict=warning \
			"cables-swapped:$(at edge001 edge002 edge003 core01 core02 core03)" \
			uplinks.misplaced=3 edge.degraded=3 core.degraded=3 \
			"degraded=$(at edge001 edge002 edge003 core01 core02 core03)"
	fi

	power_off core02
	check "a core without power" verdict="$(core_verdict "$cores")" "core-missing:$(all edge%03d 1 "$edges")" \
		evidence:core-missing=absent uplinks.missing=$((edges * bundle)) core.missing=1 edge.degraded="$edges" \
		"degraded=$(all edge%03d 1 "$edges")" missing=core02

	power_off core01
	pull edge003 core02 1
	check "a core without power and a cable pulled" verdict="$(core_verdict "$cores")" "core-missing:$(all edge%03d 1 "$edges")" \
		"cable-missing:$(at edge003 core02)x1" uplinks.missing=$((edges * bundle + 1)) core.missing=1 \
		core.degraded=1 edge.degraded="$edges" "degraded=$(all edge%03d 1 "$edges"),$(at core02)" missing=core01

	power_off "$last"
	check "an edge without power" verdict=critical "edge-isolated:$(all core%02d 1 "$cores")" \
		evidence:edge-isolated=absent uplinks.missing=$uplinks edge.isolated=1 core.degraded="$cores" \
		"degraded=$(all core%02d 1 "$cores")" "isolated=$last" hosts.found=$((edges * 18 - 18))

	cases_cut_off "$last" "$cores" "$bundle"
	cases_mute "$@"
	cases_hosts "$@"
	cases_moved "$@"
}

# The sweep starts on a host of an edge whose uplinks are all gone: of the rest nothing can be said.
cases_cut_off() { # EDGE C B
	local core k entry=$ENTRY
	local -a hosts cables=()

	read -ra hosts <<<"${HOSTS[$1]}"
	for ((core = 1; core <= $2; core++)); do
		for ((k = 1; k <= $3; k++)); do
			cables+=("$1" "$(printf 'core%02d' "$core")" "$k")
		done
	done
	pull "${cables[@]}"
	check "the same edge, seen from the others" verdict=critical "edge-isolated:$(all core%02d 1 "$2")" \
		uplinks.missing=$(($2 * $3)) edge.isolated=1 core.degraded="$2" "isolated=$1" \
		"degraded=$(all core%02d 1 "$2")"
	pull "${cables[@]}"
	ENTRY=${hosts[0]}
	sweep
	ENTRY=$entry
	judge "an edge cut off, seen from itself" verdict=critical "edge-isolated:$(at "$1")" edge.isolated=1 \
		status=any "uplinks.missing=$(missing_of_cut_off "$2" "$3")" "uplinks.up=0"
	undo
}

# All uplink ports of the edge are seen and down: its cables are missing, all others cannot be judged.
missing_of_cut_off() {
	echo $(($1 * $2))
}

cases_mute() { # E C B
	silence core01
	check "a silent core" verdict=warning "switch-mute:$(all edge%03d 1 "$1")" evidence:switch-mute=mute \
		status=any
	silence edge002
	check "a silent edge" verdict=warning "switch-mute:$(all core%02d 1 "$2")" evidence:switch-mute=mute \
		status=any
}

cases_hosts() { # E C B
	local host
	local -a hosts

	hosts_off edge003 3
	check "three hosts down" "hosts-missing:$(at edge003)x3" hosts.found=$(($1 * 18 - 3))
	hosts_off edge002
	check "all hosts of an edge down" "hosts-missing:$(at edge002)x18" hosts.found=$(($1 * 18 - 18))
	hosts_off edge002
	pull edge002 core01 1
	check "all hosts of an edge and a cable of it down" verdict=warning "hosts-missing:$(at edge002)x18" \
		"cable-missing:$(at edge002 core01)x1" uplinks.missing=1 edge.degraded=1 core.degraded=1 \
		"degraded=$(at edge002 core01)"

	read -ra hosts <<<"${HOSTS[edge001]}"
	host=${hosts[3]}
	pull edge001 core01 1
	do_fault "Unlink \"${ID[$host]}\""
	UNDO+=("Link $(end "$host" edge001 1) $(end edge001 "$host" 1)")
	connect "$(end "$host" edge001 1)" "$(end core01 edge001 1)"
	check "a host where an uplink was" verdict=warning "host-on-core:$(at core01 "$host")" \
		"cable-missing:$(at edge001 core01)x1" uplinks.missing=1 edge.degraded=1 core.degraded=1 \
		"degraded=$(at edge001 core01)" any=hosts-missing \
		"ports:host-on-core:$(port_at core01 edge001 1),${GUID[$host]}[1]"

	do_fault "Baselid \"${ID[core02]}\"[0] 4242" "Baselid \"${ID[$host]}\"[1] 4242"
	check "two ports of one LID" verdict=warning "lid-duplicate:$(at core02 "$host")"
	fabric
}

# Ports of hosts that are down take the ends of other cables.
cases_moved() { # E C B
	local -a one two
	local place

	read -ra one <<<"${HOSTS[edge001]}"
	read -ra two <<<"${HOSTS[edge002]}"

	hosts_off edge002 1
	place="$(end edge002 "${two[0]}" 1)"
	move edge001 core01 1 "$place"
	check "the core end of a cable on another edge" verdict=warning "cable-misplaced:$(at edge001 edge002)" \
		"ports:cable-misplaced:$(port_at edge001 core01 1),$(port_at edge002 "${two[0]}" 1)" \
		"hosts-missing:$(at edge002)x1" uplinks.misplaced=1 edge.degraded=1 core.degraded=1 \
		"degraded=$(at edge001 core01)"

	hosts_off edge002 1
	move core01 edge001 1 "$place"
	check "the edge end of a cable on another edge" verdict=warning "cable-misplaced:$(at core01 edge002)" \
		"hosts-missing:$(at edge002)x1" uplinks.misplaced=1 edge.degraded=1 "degraded=$(at edge001 core01)" \
		core.degraded=1

	hosts_off edge001 1
	hosts_off edge002 1
	connect "$(end edge001 "${one[1]}" 1)" "$place"
	check "a cable between two edges" verdict=warning "cable-unplanned:$(at edge001 edge002)" \
		"hosts-missing:$(at edge001 edge002)x2" uplinks.unplanned=1

	hosts_off edge002 2
	connect "$place" "$(end edge002 "${two[1]}" 1)"
	check "an edge cabled to itself" verdict=warning "loopback:$(at edge002)" "hosts-missing:$(at edge002)x2" \
		"ports:loopback:$(port_at edge002 "${two[0]}" 1),$(port_at edge002 "${two[1]}" 1)"
}

# Switches with spare ports on both tiers. A port that the network file leaves open comes up at SDR on ibsim: a cable
# that is in the wrong place is one finding all the same.
cases_spare() { # E C B
	local edges=$1 cores=$2 bundle=$3 host
	local -a hosts

	design nodes=$((edges * 18)) edge='{"ports": 40, "count": '"$edges"', "ports_to_nodes": 18, "ports_to_core": 18}' \
		core='{"ports": 40, "count": '"$cores"'}' bundle="$bundle" rate='"4xHDR"' >"$SIM_DIR/design.json"
	plan "$SIM_DIR/design.json"
	fabric

	check "healthy, with spare ports"

	move edge001 core01 1 "$(spare core02 40)"
	check "the core end of a cable on another core" verdict=warning "cable-misplaced:$(at edge001 core02)" \
		"ports:cable-misplaced:$(port_at edge001 core01 1),${GUID[core02]}[40]" \
		uplinks.misplaced=1 edge.degraded=1 core.degraded=1 "degraded=$(at edge001 core01)"

	move core02 edge003 1 "$(spare edge001 40)"
	check "the edge end of a cable on another edge's spare port" verdict=warning \
		"cable-misplaced:$(at edge001 core02)" \
		"ports:cable-misplaced:$(port_at core02 edge003 1),${GUID[edge001]}[40]" \
		uplinks.misplaced=1 edge.degraded=1 core.degraded=1 "degraded=$(at edge003 core02)"

	move edge001 core01 1 "$(spare core02 40)"
	pull edge002 core02 1
	check "a cable misplaced and another one pulled" verdict=warning "cable-misplaced:$(at edge001 core02)" \
		"cable-missing:$(at edge002 core02)x1" uplinks.misplaced=1 uplinks.missing=1 edge.degraded=2 \
		core.degraded=2 "degraded=$(at edge001 edge002 core01 core02)"

	connect "$(spare edge002 39)" "$(spare core01 39)"
	check "one cable too many" verdict=warning "cable-unplanned:$(at edge002 core01)" uplinks.unplanned=1

	connect "$(spare core02 39)" "$(spare core01 39)"
	check "a cable between two cores" verdict=warning "cable-unplanned:$(at core01 core02)" uplinks.unplanned=1

	connect "$(spare core02 39)" "$(spare core02 40)"
	connect "$(spare edge001 39)" "$(spare edge003 40)"
	check "a loopback on a core and a cable between edges" verdict=warning "loopback:$(at core02)" \
		"cable-unplanned:$(at edge001 edge003)" uplinks.unplanned=1

	read -ra hosts <<<"${HOSTS[edge002]}"
	host=${hosts[5]}
	do_fault "Unlink \"${ID[$host]}\""
	UNDO+=("Link $(end "$host" edge002 1) $(end edge002 "$host" 1)")
	connect "$(end "$host" edge002 1)" "$(spare core02 40)"
	check "a host on a core" verdict=warning "host-on-core:$(at core02 "$host")" \
		"ports:host-on-core:${GUID[core02]}[40],${GUID[$host]}[1]" any=hosts-missing any=cable-slow

	do_fault "Unlink \"${ID[$host]}\""
	UNDO+=("Link $(end "$host" edge002 1) $(end edge002 "$host" 1)")
	connect "$(end "$host" edge002 1)" "$(spare edge001 40)"
	check "one host too many on an edge" verdict=warning "edge-overloaded:$(at edge001)" any=hosts-missing \
		any=hosts-unplanned any=cable-slow

	fabric stray 0x00000000003ffff1 stray 36 edge001 core02
	check "a switch that nobody planned" verdict=warning "switch-unplanned:0x00000000003ffff1" \
		unplanned=0x00000000003ffff1
	power_off core01
	check "the same, and a core without power" verdict="$(core_verdict "$cores")" "switch-unplanned:0x00000000003ffff1" \
		"core-missing:$(all edge%03d 1 "$edges")" uplinks.missing=$((edges * bundle)) core.missing=1 \
		edge.degraded="$edges" "degraded=$(all edge%03d 1 "$edges")" missing=core01 unplanned=0x00000000003ffff1
}

# What only another network file can show.
cases_rates() { # E C B
	fabric rate edge002 core01 1 4xEDR
	check "a slow uplink" verdict=warning "cable-slow:$(at edge002 core01)" uplinks.slow=1 \
		"ports:cable-slow:$(port_at edge002 core01 1),$(port_at core01 edge002 1)"
	fabric rate node003 edge001 1 4xFDR rate edge001 core02 1 1xHDR
	check "a slow host and a narrow uplink" verdict=warning "cable-slow:$(at edge001 node003)" \
		"cable-narrow:$(at edge001 core02)" uplinks.slow=1
	fabric option edge003 core01 1 w=1
	check "an uplink of one lane (w=1)" verdict=warning any=cable-slow "cable-narrow:$(at edge003 core01)" \
		uplinks.slow=1
	fabric option edge003 core01 1 s=1
	check "an SDR uplink (s=1)" verdict=warning "cable-slow:$(at edge003 core01)" uplinks.slow=1
	fabric remove core02
	check "a core that was never there" verdict="$(core_verdict "$2")" "core-missing:$(all edge%03d 1 "$1")" \
		uplinks.missing=$(($1 * $3)) core.missing=1 edge.degraded="$1" "degraded=$(all edge%03d 1 "$1")" \
		missing=core02
	fabric without-hosts edge002 remove edge002
	check "an edge that was never there" verdict=critical "edge-isolated:$(all core%02d 1 "$2")" \
		uplinks.missing=$(($2 * $3)) edge.isolated=1 core.degraded="$2" "degraded=$(all core%02d 1 "$2")" \
		isolated=edge002
}

run_cases() { # E C B
	cases_tight "$@"
	cases_spare "$@"
	cases_rates "$@"
	finish
}
