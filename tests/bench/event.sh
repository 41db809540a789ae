#!/bin/sh
# usage: event.sh [FABRIC...] (default selene; tree11664 takes some ten minutes)
# A link between switches, a switch without hosts and a card of four such are
# lost and come back under opensm and under heddled, on heddle-sim, both with
# their default settings, light sweeps included. The SMPs until the subnet
# manager reports that it is done, and two seconds more:
#
#	entries, blocks	of forwarding tables: entries changed, and Sets of
#			blocks
#	SMPs		Gets and Sets, of all attributes
#	trap to last	ms from the first trap that arrives to the last Set of
#			a table or a port
#	done		s until the subnet manager reports it
#	CPU		ms of its process
#
# For the entries that any repair must change, and lost packets, see
# bench/event. EVENTS="cable switch card" and SMS="opensm heddled" pick some.
set -u
PATIENCE=${PATIENCE:-300}
EVENTS=${EVENTS:-cable switch card}
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

# count NAME: a count of the fabric's statistics
count() {
	awk -F': ' -v name="$1" '$1 == name { n = $2 }
		END { print n + 0 }' "$E2E_DIR/stats"
}

# sum METHOD: SMPs with it
sum() {
	awk -v m="$1" '$1 == m { n += $NF } END { print n + 0 }' \
		"$E2E_DIR/stats"
}

# cpu: CPU time of the subnet manager in ms
cpu() {
	cat /proc/"$E2E_SM_PID"/task/*/schedstat 2>/dev/null |
		awk '{ ns += $1 } END { printf "%d", ns / 1000000 }'
}

# event NAME WHAT...: cause it, and print its cost
event() {
	name=$1
	shift
	case $EVENTS in *"${name%% *}"*) ;; *) return ;; esac
	before=$(done_so_far)
	sim stats clear >/dev/null || fail "no stats"
	cpu=$(cpu)
	t0=$(now)
	happen "$@" >"$E2E_DIR/link.out" || fail "$(cat "$E2E_DIR/link.out")"
	until_true "$PATIENCE" more "$before" || say "    $SM never was done"
	took=$(since "$t0")
	sleep 2 # later SMPs of the change count too
	sim stats >"$E2E_DIR/stats"
	cpu=$(($(cpu) - cpu))
	row "$name" "$SM" "$(count "table entries changed")" \
		"$(count "table blocks written")" \
		"$(sum Get)" "$(sum Set)" \
		"$(($(count "us from trap to last Set") / 1000))" \
		"$took" "$cpu"
}

row() {
	printf '%-12s %-8s %8s %7s %8s %7s %8s %7s %7s\n' "$@"
}

# cores FILE: switches without hosts (one is taken for an aggregation node), each
# with a neighbour that has hosts, by neighbour
cores() {
	neighbours "$1" | awk '$2 < 2 && $4 > 1 { print $3, $1 }' | sort -u
}

under() {
	SM=$1
	serve "$E2E_DIR/fabric.net"
	sm_start
	until_true 300 more 0 || fail "$SM did not come up"
	sleep 5
	event "cable lost" link "$2/$3" down
	event "cable back" link "$2/$3" up
	shift 3
	event "switch lost" remove "$1"
	event "switch back" return "$1"
	event "card lost" remove "$@"
	event "card back" return "$@"
	sm_stop
	unserve
}

compare() {
	fabric "$1" "$E2E_DIR/fabric.net"
	cores "$E2E_DIR/fabric.net" >"$E2E_DIR/cores"
	leaf=$(pick "${SEED:-1}" 1 <"$E2E_DIR/cores" | cut -d' ' -f1)
	card=$(awk -v l="$leaf" '$1 == l { print $2 }' "$E2E_DIR/cores" |
		head -n 4)
	# shellcheck disable=SC2046
	set -- "$1" $(net_cables "$E2E_DIR/fabric.net" | pick "${SEED:-1}" 1)
	say "$1: cable $2[$3] - $4[$5]; card:" "$(echo "$card" | tr "\n" " ")"
	row event manager entries blocks Gets Sets "to last" "done" CPU
	for sm in ${SMS:-opensm heddled}; do
		# shellcheck disable=SC2086
		under "$sm" "$2" "$3" $card
	done
}

main() {
	e2e_init
	[ $# -gt 0 ] || set -- selene
	for f in "$@"; do
		compare "$f"
	done
}

main "$@"
