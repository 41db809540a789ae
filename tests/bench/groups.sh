#!/bin/sh
# usage: groups.sh [HOSTS [GROUPS]]
# Hosts join IPoIB's broadcast group and 50 others each, leave them, and return:
# heddled beside opensm on the same simulator, asked by the same client
# (groups_main.c), counted by the simulator. A block is the content of one Set;
# "unchanged" are Sets that wrote the content that was there already.
#
#	GROUPS_K=16		the fabric: a tree of switches with K ports
#	GROUPS_WINDOW=N		open requests; by default one per host, group after
#				group, as hosts do. heddled answers after it has
#				written the switches, opensm before: with few open
#				requests tables are written in many small waves
#	GROUPS_LIMIT=600	seconds of a subnet manager for a part, at most
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

LIMIT=${GROUPS_LIMIT:-600}

ready() {
	gone "$E2E_SM_PID" && fail "$SM ended: $(tail -n 5 "$E2E_DIR/sm.out")"
	on "$E2E_TOOL_HOST" saquery -t 1000 --smkey 0 -g \
		>"$E2E_DIR/groups" 2>/dev/null && grep -qi mgid "$E2E_DIR/groups"
}

count() {
	sim stats | sed -n "s/^$1: //p"
}

# quiet: no more multicast tables are written
quiet() {
	q_was=$(count "group blocks written")
	sleep 1
	[ "$q_was" = "$(count "group blocks written")" ]
}

# part NAME join|leave
part() {
	sim stats clear >/dev/null
	p_out=$(on "$E2E_TOOL_HOST" timeout "$LIMIT" "$B/bench/groups" \
		"$E2E_DIR/fabric.net" "$2" "$HOSTS" "$GROUPS_EACH" \
		${GROUPS_WINDOW:+"$GROUPS_WINDOW"} 2>"$E2E_DIR/groups.err") || {
		say "    $SM $1: $(tail -n 1 "$E2E_DIR/groups.err") (limit" \
			"$LIMIT s)"
		return 1
	}
	until_true "$LIMIT" quiet
	# shellcheck disable=SC2086
	set -- "$1" $p_out
	printf '    %-8s %-7s %9s %8s %9s %9s %10s %9s\n' "$SM" "$1" "$2" \
		"$3" "$4" "$5" "$(count "group blocks written")" \
		"$(count "group blocks unchanged")"
}

one() {
	SM=$1
	serve "$E2E_DIR/fabric.net"
	sm_start
	until_true 120 ready || fail "$SM: no SA"
	part join join && part again join && part leave leave &&
		part return join
	sm_stop
	unserve
}

main() {
	HOSTS=${1:-1000}
	GROUPS_EACH=${2:-50}
	e2e_init
	E2E_SO=$B/libheddle-umad.so
	E2E_CONF_MORE="sa: {trust_key: 0x1, requests_per_second: 0}"
	SM_ENGINE=updn
	"$B/heddle-sim" generate fattree3 --k "${GROUPS_K:-16}" >"$E2E_DIR/fabric.net" ||
		fail "no fabric"
	say "$HOSTS hosts, $GROUPS_EACH groups each and the broadcast group"
	printf '    %-8s %-7s %9s %8s %9s %9s %10s %9s\n' "" "" requests \
		refused repeated seconds blocks unchanged
	one heddled
	one opensm
}

main "$@"
