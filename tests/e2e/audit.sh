#!/bin/sh
# heddled --audit on fabrics that somebody else runs. usage: audit.sh WHAT
#	opensm	updn with a given root on a random fabric, on ibsim: there is
#		a credit loop, the audit finds it and leaves no trace
#	sim	heddled's own tables, on heddle-sim: all is well, and the
#		simulator saw nothing but Gets
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# audit RESULT: its JSON in $E2E_DIR/audit.json; it must end with that code
audit() {
	sm_config
	on "$E2E_TOOL_HOST" "$B/heddled" -c "$E2E_CONF" --audit --json \
		>"$E2E_DIR/audit.json" 2>"$E2E_DIR/audit.err"
	[ $? = "$1" ] || fail "--audit did not end with $1:" \
		"$(cat "$E2E_DIR/audit.err" "$E2E_DIR/audit.json")"
	[ "$(found wire.sets)" = 0 ] || fail "it sent Sets"
	on "$E2E_TOOL_HOST" "$B/heddled" -c "$E2E_CONF" --audit \
		>"$E2E_DIR/audit.page" 2>"$E2E_DIR/audit.err"
}

found() {
	json_get "$E2E_DIR/audit.json" "$1"
}

# same KEY WANT
same() {
	[ "$(found "$1")" = "$2" ] || fail "$1 is $(found "$1"), not $2"
}

# The GUID of the first switch in a net file.
first_switch() {
	sed -n 's/^switchguid=\(0x[0-9a-f]*\).*/\1/p' "$1" | head -n 1
}

audit_opensm() {
	fabric irregular "$E2E_DIR/fabric.net"
	sim_start "$E2E_DIR/fabric.net"
	first_switch "$E2E_DIR/fabric.net" >"$E2E_DIR/roots"
	on "$E2E_SM_HOST" opensm -o -R updn -a "$E2E_DIR/roots" \
		-f "$E2E_DIR/sm.log" >"$E2E_DIR/sm.out" 2>&1 ||
		fail "opensm: $(tail -n 5 "$E2E_DIR/sm.out")"
	judge before --allow-cycles || fail "opensm's tables are wrong"
	sim_dump "$E2E_DIR/was"
	audit 1
	sim_dump "$E2E_DIR/is"
	cmp -s "$E2E_DIR/was" "$E2E_DIR/is" || fail "the audit left a trace"
	same found.verified.unreachable 0
	same heddle.verified.ok true
	# a judge that shares no code with the verifier agrees
	same found.load.max "$(json_get "$E2E_DIR/before.json" load_max)"
	[ "$(json_get "$E2E_DIR/before.json" cyclic)" -gt 0 ] ||
		fail "the other judge sees no loop"
	[ "$(found found.verified.cyclic_channels)" -gt 0 ] ||
		fail "no credit loop was found"
	grep -q "^DEADLOCK .* credit loop of [0-9]* cables: 'sw" \
		"$E2E_DIR/audit.page" || fail "$(cat "$E2E_DIR/audit.page")"
	say "$(grep '^DEADLOCK' "$E2E_DIR/audit.page")"
	say "eBB $(found found.ebb.mean), Heddle's $(found heddle.ebb.mean)"
}

serve() {
	"$B/heddle-sim" serve "$1" --name "$IBSIM_SOCKNAME" \
		>"$E2E_DIR/sim.out" 2>&1 &
	E2E_SIM_PID=$!
	until_true 60 grep -q 'ready as' "$E2E_DIR/sim.out" ||
		fail "heddle-sim did not start: $(cat "$E2E_DIR/sim.out")"
	net_hosts "$1" >"$E2E_DIR/hosts"
	E2E_SM_HOST=$(head -n 1 "$E2E_DIR/hosts")
	E2E_TOOL_HOST=$(tail -n 1 "$E2E_DIR/hosts")
}

sim() {
	"$B/heddle-sim" ctl --name "$IBSIM_SOCKNAME" "$@"
}

audit_sim() {
	fabric tree648 "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	sm_once || fail "no bring-up: $(tail -n 5 "$E2E_DIR/sm.log")"
	sim stats clear >/dev/null || fail "no stats"
	audit 0
	sim stats >"$E2E_DIR/stats"
	grep -q 'Get' "$E2E_DIR/stats" || fail "$(cat "$E2E_DIR/stats")"
	sets=$(awk '/Set/ && !/Get/ { n += $NF } END { print n + 0 }' \
		"$E2E_DIR/stats")
	[ "$sets" = 0 ] || fail "Sets arrived: $(cat "$E2E_DIR/stats")"
	same found.verified.ok true
	same found.load.max "$(found heddle.load.max)"
	say "$(sed -n '/^well/p' "$E2E_DIR/audit.page")"
	sim quit >/dev/null
	until_true 5 gone "$E2E_SIM_PID"
	wait "$E2E_SIM_PID"
	E2E_SIM_PID=
}

case ${1:-} in
opensm | sim) ;;
*)
	echo "usage: audit.sh opensm|sim" >&2
	exit 2
	;;
esac
e2e_init
"audit_$1"
say "PASS"
