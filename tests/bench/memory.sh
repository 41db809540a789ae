#!/bin/sh
# usage: memory.sh [FABRIC...]
# What heddled takes, as a daemon on heddle-sim: resident after the bring-up
# and after a cable has failed and is back (two generations and their plans
# have been alive together), and the peak, beside the budget: 1.25 times the
# forwarding tables (switches x LIDs, blocks of 64) and 1 KiB a cabled port.
# Default: tree648 and tree3456; BENCH_BIG=1 adds tree11664.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# kib FIELD: of the daemon's memory
kib() {
	awk -v f="$1:" '$1 == f { print $2 }' "/proc/$E2E_SM_PID/status"
}

up() {
	gone "$E2E_SM_PID" && fail "heddled ended: $(tail -n 5 "$E2E_DIR/sm.out")"
	[ "$(status_get phase)" = idle ] && [ "$(status_get generation)" -gt 0 ]
}

newer() {
	[ "$(status_get generation)" -gt "$1" ] 2>/dev/null && up
}

# the first cable between two switches, as NODE/PORT
cable() {
	awk '/^Switch/ { gsub(/"/, "", $3); node = $3 }
		/^\[/ && $2 ~ /^"S-/ { gsub(/[][]/, "", $1)
			print node "/" $1; exit }' "$1"
}

one() {
	fabric "$1" "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	SM=heddled
	E2E_SO=$B/libheddle-umad.so
	sm_start
	until_true 600 up || fail "$1: not up after 600 s"
	first=$(kib VmRSS)
	peak1=$(kib VmHWM)
	for state in down up; do
		g=$(status_get generation)
		sim link "$(cable "$E2E_DIR/fabric.net")" $state >/dev/null
		until_true 60 newer "$g" || fail "$1: no change seen"
		sleep 1
	done
	status_get generation >/dev/null
	awk -v name="$1" -v first="$first" -v peak1="$peak1" \
		-v rss="$(kib VmRSS)" -v peak="$(kib VmHWM)" '
		/^Switch/ { sw++; lids++ }
		/^Ca/ { lids++ }
		/^\[/ { ports++ }
		END {
			tables = sw * (int(lids / 64) + 1) * 64 / 1024
			budget = 1.25 * tables + ports
			printf "%-12s %9d %9d %9d %9d %9d %9d %6.2f\n", name,
				tables, budget, first, peak1, rss, peak,
				peak / budget
		}' "$E2E_DIR/fabric.net"
	sm_stop
	unserve
}

main() {
	e2e_init
	printf '%-12s %9s %9s %9s %9s %9s %9s %6s   (KiB)\n' fabric tables \
		budget up up-peak resident peak ratio
	[ $# != 0 ] || set -- tree648 tree3456 ${BENCH_BIG:+tree11664}
	for f in "$@"; do
		one "$f"
	done
}

main "$@"
