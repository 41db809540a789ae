#!/bin/sh
# usage: event.sh [FABRIC] (default selene)
# A cable between switches lost and back under opensm and under
# heddled, on heddle-sim: how long until the subnet manager says that it is
# done, and the SMPs that the fabric saw meanwhile, by attribute.
set -u
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

# event NAME NODE[/PORT] down|up
event() {
	before=$(done_so_far)
	sim stats clear >/dev/null || fail "no stats"
	t0=$(now)
	sim link "$2" "$3" >"$E2E_DIR/link.out" ||
		fail "$(cat "$E2E_DIR/link.out")"
	until_true 120 more "$before" || say "    $SM never was done"
	took=$(since "$t0")
	sleep 2 # what it may still want to send counts, too
	sim stats >"$E2E_DIR/stats"
	smps=$(sed -n 's/^smps: //p' "$E2E_DIR/stats")
	by=$(grep -E '^(Get|Set) ' "$E2E_DIR/stats" | tr '\n' ',')
	say "    $SM, $1: $took s, $smps SMPs ($by)"
}

under() {
	SM=$1
	E2E_CONF_MORE='sweep:
  interval: 0'
	serve "$E2E_DIR/fabric.net"
	sm_start
	until_true 300 more 0 || fail "$SM did not come up"
	sleep 5
	event "cable pulled" "$2/$3" down
	event "cable back" "$2/$3" up
	sm_stop
	unserve
}

main() {
	e2e_init
	fabric "${1:-selene}" "$E2E_DIR/fabric.net"
	# shellcheck disable=SC2046
	set -- "${1:-selene}" \
		$(net_cables "$E2E_DIR/fabric.net" | pick "${SEED:-1}" 1)
	say "$1: cable $2[$3] - $4[$5]"
	under opensm "$2" "$3"
	under heddled "$2" "$3"
}

main "$@"
