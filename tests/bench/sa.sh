#!/bin/sh
# usage: sa.sh [FABRIC] (default tree3456)
# Path queries of one host to opensm and to heddled, on heddle-sim: alone, and
# while the subnet manager computes all routes anew and writes the differences
# (opensm: a heavy sweep, on SIGHUP; heddled: heddlectl rebalance). The figures
# of both include the time of the simulator and libibumad; sa_main.c measures
# heddled's alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

SECONDS_ALONE=${SECONDS_ALONE:-5}
SECONDS_REROUTE=${SECONDS_REROUTE:-15}

up() {
	gone "$E2E_SM_PID" && fail "$SM ended: $(tail -n 5 "$E2E_DIR/sm.out")"
	on "$E2E_TOOL_HOST" saquery -t 5000 CPI >/dev/null 2>&1 || return 1
	if [ "$SM" = opensm ]; then
		[ "$(grep -cs 'SUBNET UP' "$E2E_DIR/sm.log")" -gt 0 ]
	else
		[ "$(status_get generation)" -gt 0 ] 2>/dev/null
	fi
}

# pound NAME SECONDS WINDOW
pound() {
	on "$E2E_TOOL_HOST" "$B/bench/sapound" "$2" "$3" >"$E2E_DIR/pound" \
		2>&1 || fail "$SM: $(cat "$E2E_DIR/pound")"
	awk -v sm="$SM" -v name="$1" -v w="$3" '{
		printf("    %-8s %-16s window %3d: %7.0f answers a second, " \
			"median %6d us, 99%% %7d us, longest %8.1f ms%s\n",
			sm, name, w, $2 / $1, $6, $7, $8,
			$3 + $4 + $5 > 0 ? "; busy " $3 ", refused " $4 \
			", lost " $5 : "")
	}' "$E2E_DIR/pound"
}

reroute() {
	if [ "$SM" = opensm ]; then
		kill -HUP "$E2E_SM_PID"
	else
		ctl rebalance >/dev/null
	fi
}

under() {
	SM=$1
	E2E_CONF_MORE='sa: {requests_per_second: 0}
sweep: {interval: 0}'
	serve "$E2E_DIR/fabric.net"
	sm_start
	until_true 300 up || fail "$SM did not come up"
	sleep 3
	pound alone "$SECONDS_ALONE" 1
	pound alone "$SECONDS_ALONE" 32
	(
		trap - EXIT HUP INT TERM
		while sleep 1 && ! gone "$E2E_SM_PID"; do reroute; done
	) &
	u_pid=$!
	pound "during reroutes" "$SECONDS_REROUTE" 1
	kill "$u_pid"
	sm_stop
	unserve
}

main() {
	e2e_init
	fabric "${1:-tree3456}" "$E2E_DIR/fabric.net"
	under opensm
	under heddled
}

main "$@"
