#!/bin/sh
# usage: event.sh [FABRIC] (default selene)
# A cable between switches, a switch without hosts and a card of four such lost
# and back under opensm and under heddled, on heddle-sim: how long until the
# subnet manager says that it is done, and the SMPs that the fabric saw
# meanwhile, by attribute.
set -u
PATIENCE=${PATIENCE:-120}
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

done_so_far() {
	if [ "$SM" = opensm ]; then
		grep -cs 'SUBNET UP' "$E2E_DIR/sm.log"
	else
		status_get generation
	fi
}

more() {
	gone "$E2E_SM_PID" && fail "$SM ended:" \
		"$(tail -n 5 "$E2E_DIR/sm.out")"
	[ "$(done_so_far)" -gt "$1" ] 2>/dev/null
}

# happen link ID/PORT down|up, happen remove|return ID...
happen() {
	if [ "$1" = link ]; then
		sim "$@"
		return
	fi
	what=$1
	shift
	for id in "$@"; do
		sim "$what" "$id" || return 1
	done
}

# event NAME WHAT...: and what it takes
event() {
	name=$1
	shift
	before=$(done_so_far)
	sim stats clear >/dev/null || fail "no stats"
	t0=$(now)
	happen "$@" >"$E2E_DIR/link.out" || fail "$(cat "$E2E_DIR/link.out")"
	until_true "$PATIENCE" more "$before" || say "    $SM never was done"
	took=$(since "$t0")
	sleep 2 # what it may still want to send counts, too
	sim stats >"$E2E_DIR/stats"
	smps=$(sed -n 's/^smps: //p' "$E2E_DIR/stats")
	by=$(grep -E '^(Get|Set) ' "$E2E_DIR/stats" | tr '\n' ',')
	say "    $SM, $name: $took s, $smps SMPs ($by)"
	[ "$SM" = opensm ] || say "        $(ctl --json status |
		json_flat | sed -n 's/^\(.*\.\)\?times\.//p' | tr '\t\n' ' ,')"
}

# cores FILE: switches without hosts (one is taken for an aggregation node), each
# with a neighbour that has hosts, by neighbour
cores() {
	awk '$1 ~ /^(Switch|Ca|Hca|Rt)$/ {
		id = $1 == "Switch" ? $3 : ""
		gsub(/"/, "", id)
	}
	/^\[/ && id != "" {
		split($0, q, "\"")
		if (q[2] !~ /^S-/)
			hosts[id]++
		else
			near[id] = near[id] " " q[2]
	}
	END {
		for (id in near) {
			n = split(near[id], peer, " ")
			for (i = 1; hosts[id] < 2 && i <= n; i++)
				if (hosts[peer[i]] > 1)
					print peer[i], id
		}
	}' "$1" | sort -u
}

under() {
	SM=$1
	E2E_CONF_MORE='sweep:
  interval: 0'
	serve "$E2E_DIR/fabric.net"
	sm_start
	until_true 300 more 0 || fail "$SM did not come up"
	sleep 5
	event "cable pulled" link "$2/$3" down
	event "cable back" link "$2/$3" up
	shift 3
	event "switch lost" remove "$1"
	event "switch back" return "$1"
	event "card of $# lost" remove "$@"
	event "card of $# back" return "$@"
	sm_stop
	unserve
}

main() {
	e2e_init
	fabric "${1:-selene}" "$E2E_DIR/fabric.net"
	cores "$E2E_DIR/fabric.net" >"$E2E_DIR/cores"
	leaf=$(pick "${SEED:-1}" 1 <"$E2E_DIR/cores" | cut -d' ' -f1)
	card=$(awk -v l="$leaf" '$1 == l { print $2 }' "$E2E_DIR/cores" |
		head -n 4)
	# shellcheck disable=SC2046
	set -- "${1:-selene}" \
		$(net_cables "$E2E_DIR/fabric.net" | pick "${SEED:-1}" 1)
	say "$1: cable $2[$3] - $4[$5]; card:" "$(echo "$card" | tr "\n" " ")"
	for sm in ${SMS:-opensm heddled}; do
		# shellcheck disable=SC2086
		under "$sm" "$2" "$3" $card
	done
}

main "$@"
