#!/bin/sh
# Two subnet managers on one fabric of heddle-sim, through libheddle-umad.so:
# which one is master, and what the fabric is like meanwhile. usage:
# mastership.sh TEST-FABRIC
#	standby		a second heddled waits, takes over, and keeps the fabric
#	handover	opensm hands the fabric over to heddled, and heddled to
#			opensm (by hand, see run.sh)
#	takeover	seconds until a standby with the default settings is
#			master: kill -9, SIGSTOP, SIGTERM, higher priority, and
#			with the state file of an earlier reign
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh
# shellcheck source=tests/e2e/daemons.sh
. tests/e2e/daemons.sh

test_standby() {
	config a 5 </dev/null
	config b 3 </dev/null
	daemon a h1
	in_order bring-up
	rests a
	daemon b h9
	becomes b role standby
	is b master.priority 5 || fail "b's master has priority $IS"
	is b sweeps.last_ok true || fail "a standby is a failed run"
	is b sweeps.runs_failed 0 || fail "a standby failed $IS runs"
	becomes a others.0.priority 3
	becomes a others.0.state 2
	is b wire.by_attribute.LinearForwardingTable.set - || [ "$IS" = 0 ] ||
		fail "a standby wrote $IS blocks"
	tells_same b "at rest"
	sim link spine1/1 down || fail "link"
	rests a
	tells_same b "a cable out"
	sim link spine1/1 up || fail "link"
	rests a
	tells_same b "the cable back"
	is b wire.by_attribute.PortInfo.set - || [ "$IS" = 0 ] ||
		fail "a standby wrote $IS ports"
	lids "$E2E_DIR/lids.before"
	halt a KILL
	becomes b role master
	in_order "the new master"
	rests b
	is b wire.by_attribute.LinearForwardingTable.set - ||
		[ "$IS" = 0 ] || fail "the new master wrote $IS blocks"
	lids "$E2E_DIR/lids.after"
	cmp "$E2E_DIR/lids.before" "$E2E_DIR/lids.after" || fail "other LIDs"
	sim link spine1/1 down || fail "link"
	in_order "a cable out under the new master"
	rests b
	daemon a h1
	becomes a role master # its priority is higher
	becomes b role standby
	logged b 'handing over to .* outranks this manager'
	logged a 'leaving standby: hand-over from the previous master'
	sim link spine1/1 up || fail "link"
	in_order "the cable back"
	rests a
	forged_handover
	told_handover
	halt a
	becomes b role master
	logged a 'handing over to .* because this manager ends'
	in_order "the second one has it again"
	is b alarm "" || fail "alarm $IS"
}

# same NAME WHAT PATTERN COMMAND...: what matches of its answers and a's is alike
same() {
	sa_name=$1
	sa_what=$2
	sa_pattern=$3
	shift 3
	for sa_from in a "$sa_name"; do
		tell "$sa_from" "$@" >"$E2E_DIR/said" ||
			fail "$sa_from: $*: $(cat "$E2E_DIR/said")"
		grep -o "$sa_pattern" "$E2E_DIR/said" | sort \
			>"$E2E_DIR/$sa_from.same"
	done
	[ -s "$E2E_DIR/a.same" ] || fail "a: $*: no $sa_what"
	cmp -s "$E2E_DIR/a.same" "$E2E_DIR/$sa_name.same"
}

# tells_same NAME WHEN: a standby soon tells of the same fabric as a, and is well
tells_same() {
	soon same "$1" nodes '^[a-z]* *0x.*' topology ||
		fail "$2: $1 tells of another fabric"
	soon same "$1" switches '0x[0-9a-f]* "[^"]*"\|out *[0-9]*' \
		routes h3 h20 || fail "$2: $1 tells of other routes"
	tell "$1" routes h3 h20 | grep -q '^standby .* read the fabric' ||
		fail "$2: it does not say that a standby read it"
	says "$1" 0 '^standby .* read the fabric [0-9]* s ago'
	is "$1" alarm "" || fail "$2: $1 has an alarm: $IS"
	metric "$1" 'heddle_alarm 0'
	tell "$1" plan --from live >"$E2E_DIR/said" ||
		fail "$2: plan ends with $?: $(cat "$E2E_DIR/said")"
	grep -q '^SAFE' "$E2E_DIR/said" ||
		fail "$2: a take-over harms: $(cat "$E2E_DIR/said")"
	grep -q '^writes  *0 blocks' "$E2E_DIR/said" ||
		fail "$2: a take-over writes: $(cat "$E2E_DIR/said")"
}

# A third host hands over in a's name: b stays a standby.
forged_handover() {
	fo_lid=$(lid_of h9)
	is b master.guid - && fail "b knows no master"
	at h20 "$B/heddle-umadprobe" handover "$fo_lid" "$IS" 1 ||
		fail "handover"
	logged b 'was not confirmed by it: ignored'
	sleep 1
	is b role standby || fail "a forged hand-over made b $IS"
	is a role master || fail "a is $IS"
}

# An administrator has a hand over to b, and b to a; only root may.
told_handover() {
	rests a
	tell a handover >"$E2E_DIR/said" || fail "handover: $(cat "$E2E_DIR/said")"
	grep -q '^Handed over to .*"h9", priority 3' "$E2E_DIR/said" ||
		fail "it says: $(cat "$E2E_DIR/said")"
	logged a 'handing over to .* as requested by root'
	is b role master || fail "b is $IS"
	is a role standby || fail "a is $IS"
	in_order "handed over as requested"
	rests b
	tell a handover >"$E2E_DIR/said" 2>&1
	[ $? = 4 ] || fail "a standby hands over: $(cat "$E2E_DIR/said")"
	if [ "$(id -u)" = 0 ]; then
		chmod o+x "$E2E_DIR" "$E2E_DIR/b"
		chmod o+rw "$E2E_DIR/b/sock"
		setpriv --reuid 65534 --regid 65534 --clear-groups \
			"$B/heddlectl" --socket "$E2E_DIR/b/sock" handover \
			>"$E2E_DIR/said" 2>&1
		[ $? = 4 ] || fail "any user hands over"
		grep -q 'only root' "$E2E_DIR/said" ||
			fail "it says: $(cat "$E2E_DIR/said")"
	fi
	tell b --json handover >"$E2E_DIR/said" || fail "b: handover"
	[ "$(json_get "$E2E_DIR/said" master.priority)" = 5 ] ||
		fail "it says: $(cat "$E2E_DIR/said")"
	becomes a role master
	in_order "and back"
	rests a
}

# took NAME EVENT T0: prints the seconds until it is master of a view made since
took() {
	until is "$1" role master && is "$1" phase idle &&
		[ "$(json_get "$E2E_DIR/$1/status" generation)" != 0 ]; do
		[ "$(since "$3" | cut -d. -f1)" -lt 60 ] ||
			fail "$2: $1 is not master"
		sleep 0.01
	done
	to_s=$(since "$3")
	to_line=
	for key in lids.moved counts.lft_blocks times.discover times.readback \
		times.route times.push; do
		to_line="$to_line $key=$(json_get "$E2E_DIR/$1/status" $key)"
	done
	say "take-over: $2: $to_s s$to_line"
}

# defaults NAME PRIORITY: a configuration with no other setting
defaults() {
	mkdir -p "$E2E_DIR/$1"
	cat >"$E2E_DIR/$1/yaml" <<-EOF
		state: {dir: $E2E_DIR/$1/state}
		control: {socket: $E2E_DIR/$1/sock}
		fabric: {priority: $2}
	EOF
}

test_takeover() {
	to_last=$(sed -n '$p' "$E2E_DIR/hosts")
	defaults a 5
	defaults b 3
	daemon a "$E2E_SM_HOST"
	in_order bring-up
	rests a
	daemon b "$to_last"
	becomes b role standby
	sleep 3
	to=$(now)
	kill -9 "$(cat "$E2E_DIR/a/pid")"
	took b "kill -9" "$to"
	in_order "kill -9"
	to=$(now)
	daemon a "$E2E_SM_HOST"
	took a "higher priority, from its start" "$to"
	in_order "higher priority"
	becomes b role standby
	rests a
	to=$(now)
	kill -TERM "$(cat "$E2E_DIR/a/pid")"
	took b SIGTERM "$to"
	in_order "SIGTERM"
	daemon a "$E2E_SM_HOST"
	becomes a role master
	becomes b role standby
	rests a
	sleep 3
	to=$(now)
	kill -STOP "$(cat "$E2E_DIR/a/pid")"
	took b SIGSTOP "$to"
	in_order SIGSTOP
	to=$(now)
	kill -CONT "$(cat "$E2E_DIR/a/pid")"
	becomes b role standby
	say "take-over: SIGCONT: two masters for $(since "$to") s"
	rests a
	in_order SIGCONT
	is a alarm "" || fail "alarm $IS"
	stale_state
}

# b alone was master once; the power failed, and a has given LIDs since.
stale_state() {
	halt b
	halt a
	rm -rf "$E2E_DIR/a/state" "$E2E_DIR/b/state"
	unserve
	serve "$E2E_DIR/fabric.net"
	daemon b "$to_last"
	in_order "b alone"
	rests b
	halt b
	unserve
	serve "$E2E_DIR/fabric.net"
	daemon a "$E2E_SM_HOST"
	in_order "a alone"
	rests a
	lids "$E2E_DIR/lids.before"
	daemon b "$to_last"
	becomes b role standby
	sleep 3
	to=$(now)
	kill -9 "$(cat "$E2E_DIR/a/pid")"
	took b "kill -9, stale state" "$to"
	in_order "stale state"
	soon same_lids ||
		fail "other LIDs: $(diff "$E2E_DIR/lids.before" \
			"$E2E_DIR/lids.after" | head -n 6)"
}

# A busy simulator may leave a question open.
same_lids() {
	lids "$E2E_DIR/lids.after"
	cmp -s "$E2E_DIR/lids.before" "$E2E_DIR/lids.after"
}

test_handover() {
	mkdir -p "$E2E_DIR/osm"
	launch osm h9 opensm -p 1 -s 3 -d2 -f "$E2E_DIR/osm/osm.log"
	soon grep -qs 'SUBNET UP' "$E2E_DIR/osm/osm.log" ||
		fail "opensm: no SUBNET UP"
	config a 10 </dev/null
	daemon a h1
	becomes a role master
	grep -q 'another subnet manager is master' "$E2E_DIR/a/log" ||
		fail "it did not stand by"
	grep -q 'hand-over from the previous master' "$E2E_DIR/a/log" ||
		fail "not by hand-over"
	in_order "handed over"
	grep 'not confirmed' "$E2E_DIR/a/log" && fail "not acknowledged"
	becomes a others.0.state 2
	is a role master || fail "it went back: $IS"
	halt osm
	say "opensm with a higher priority, started later"
	mkdir -p "$E2E_DIR/osm2"
	launch osm2 h9 opensm -p 15 -s 3 -d2 -f "$E2E_DIR/osm2/osm.log"
	becomes a role standby
	logged a 'handing over to .* priority=15 which outranks this manager'
	soon grep -qs 'SUBNET UP' "$E2E_DIR/osm2/osm.log" ||
		fail "opensm: no SUBNET UP"
	is a role standby || fail "a is $IS"
	is a alarm "" || fail "alarm $IS"
	say "heddled ends beside opensm, and begins again"
	halt a
	daemon a h1
	becomes a role standby
	halt osm2
	becomes a role master
	in_order "opensm is gone"
	say "heddled ends: opensm gets the fabric at once"
	mkdir -p "$E2E_DIR/osm3"
	launch osm3 h9 opensm -p 1 -s 3 -d2 -f "$E2E_DIR/osm3/osm.log"
	becomes a others.0.state 2
	halt a
	logged a 'handing over to .* because this manager ends'
	logged a 'handed over to'
	soon grep -qs 'SUBNET UP' "$E2E_DIR/osm3/osm.log" ||
		fail "opensm: no SUBNET UP"
}

e2e_init
trap halt_all EXIT
test=${1%%-*}
case $test in
standby | handover | takeover) ;;
*) fail "usage: mastership.sh standby|handover|takeover-FABRIC" ;;
esac
fabric "${1#*-}" "$E2E_DIR/fabric.net"
serve "$E2E_DIR/fabric.net"
"test_$test"
say "OK: $1"
