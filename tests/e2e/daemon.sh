#!/bin/sh
# heddled as a daemon on heddle-sim, through libheddle-umad.so. usage:
# daemon.sh TEST-FABRIC
#	quarantine	a switch that hangs is kept out and comes back
#	reboot		switches that reboot get their tables and LIDs again, and
#			so do all after our own cable was out
#	standby		a second heddled waits, takes over, and keeps the fabric
#	handover	opensm hands the fabric over to heddled (by hand, see
#			run.sh)
#	reload		SIGHUP with a good and with a bad configuration
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# at HOST COMMAND...: run it there
at() {
	at_host=$1
	shift
	"$B/heddle-sim" run --preload heddle --host "$at_host" \
		"$IBSIM_SOCKNAME" -- "$@"
}

# config NAME PRIORITY: the configuration of a daemon, and more from stdin
config() {
	mkdir -p "$E2E_DIR/$1"
	{
		cat <<-EOF
			state:
			  dir: $E2E_DIR/$1/state
			control:
			  socket: $E2E_DIR/$1/sock
			sweep:
			  interval: 1s
			standby:
			  poll_interval: 500ms
			smp:
			  timeout: 50ms
			fabric:
			  priority: $2
		EOF
		cat
	} >"$E2E_DIR/$1/yaml"
}

# launch NAME HOST COMMAND...: in the background; its id is in NAME/pid
launch() {
	la_dir=$E2E_DIR/$1
	la_host=$2
	shift 2
	rm -f "$la_dir/pid"
	# shellcheck disable=SC2016
	at "$la_host" /bin/sh -c 'echo $$ >"$0/pid"; exec "$@"' "$la_dir" "$@" \
		>>"$la_dir/log" 2>&1 </dev/null &
	until_true 10 test -s "$la_dir/pid" || fail "$1 did not start"
}

# daemon NAME HOST: heddled there
daemon() {
	launch "$1" "$2" "$B/heddled" -c "$E2E_DIR/$1/yaml"
}

# halt NAME [SIGNAL]
halt() {
	ha_pid=$(cat "$E2E_DIR/$1/pid" 2>/dev/null) || return 0
	rm -f "$E2E_DIR/$1/pid"
	kill "-${2:-TERM}" "$ha_pid" 2>/dev/null
	until_true 10 gone "$ha_pid" || kill -9 "$ha_pid"
}

halt_all() {
	for d in "$E2E_DIR"/*/pid; do
		[ ! -e "$d" ] || halt "$(basename "$(dirname "$d")")"
	done
	e2e_cleanup
}

# tell NAME COMMAND...: heddlectl to that daemon
tell() {
	te_name=$1
	shift
	"$B/heddlectl" --socket "$E2E_DIR/$te_name/sock" "$@"
}

# is NAME KEY VALUE: in its status
is() {
	tell "$1" --json status >"$E2E_DIR/$1/status" 2>/dev/null
	IS=$(json_get "$E2E_DIR/$1/status" "$2")
	[ "$IS" = "$3" ]
}

# becomes NAME KEY VALUE: within some time
becomes() {
	until_true "${E2E_WAIT:-40}" is "$@" ||
		fail "$1: $2 is $IS, not $3; $(tail -n 5 "$E2E_DIR/$1/log")"
	say "$1: $2 is $3"
}

# metric NAME SAMPLE: the line that says so
metric() {
	tell "$1" metrics >"$E2E_DIR/$1/metrics" ||
		fail "metrics: $(cat "$E2E_DIR/$1/metrics")"
	grep -q "^$2\$" "$E2E_DIR/$1/metrics" ||
		fail "no $2: $(grep "^${2%%[ {]*}" "$E2E_DIR/$1/metrics")"
	say "$1: $2"
}

well() {
	sim judge >"$E2E_DIR/judge" 2>&1
}

in_order() {
	until_true 40 well || fail "$1: $(cat "$E2E_DIR/judge")"
	say "$1: $(cat "$E2E_DIR/judge")"
}

# lids FILE: of all nodes
lids() {
	awk '$1 ~ /^(Switch|Ca)$/ { gsub(/"/, "", $3); print $3 }' \
		"$E2E_DIR/fabric.net" | while read -r n; do
		sim show "$n" </dev/null |
			sed -n 's/^\(port .*, lid [0-9]*\) .*/\1/p'
	done >"$1"
}

test_quarantine() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	until_true 10 named a spine2 || fail "no names"
	sim hang spine2 on || fail "hang"
	tell a sweep >/dev/null || fail "sweep"
	becomes a quarantined.0.name spine2
	is a quarantined.1.name - || fail "another is quarantined: $IS"
	metric a 'heddle_quarantined 1'
	metric a 'heddle_quarantined_info{.*name="spine2",reason="..*"} 1'
	sim hang spine2 off || fail "hang off"
	becomes a quarantined.0.name -
	in_order "it answers again"
	becomes a sweeps.last_ok true
}

test_reboot() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	becomes a dirty false
	lids "$E2E_DIR/lids.before"
	for n in spine1 leaf1 leaf5; do # leaf1 is the daemon's own
		sim reboot $n || fail "reboot"
		in_order "$n started anew"
	done
	sim link h1 down || fail "link"
	until_true 20 grep -q 'our own link went down' "$E2E_DIR/a/log" ||
		fail "our own link is down, and nobody noticed"
	becomes a fabric.switches 0
	sim link h1 up || fail "link"
	in_order "our own cable back"
	lids "$E2E_DIR/lids.after"
	[ -s "$E2E_DIR/lids.before" ] || fail "no LIDs"
	cmp "$E2E_DIR/lids.before" "$E2E_DIR/lids.after" || fail "other LIDs"
}

test_standby() {
	config a 5 </dev/null
	config b 3 </dev/null
	daemon a h1
	in_order bring-up
	becomes a role master
	daemon b h9
	becomes b role standby
	is b master.priority 5 || fail "b's master has priority $IS"
	becomes a others.0.priority 3
	becomes a others.0.state 2
	is b wire.by_attribute.LinearForwardingTable.set - ||
		fail "a standby wrote $IS blocks"
	lids "$E2E_DIR/lids.before"
	halt a KILL
	becomes b role master
	in_order "the new master"
	is b wire.by_attribute.LinearForwardingTable.set - ||
		[ "$IS" = 0 ] || fail "the new master wrote $IS blocks"
	lids "$E2E_DIR/lids.after"
	cmp "$E2E_DIR/lids.before" "$E2E_DIR/lids.after" || fail "other LIDs"
	sim link spine1/1 down || fail "link"
	in_order "a cable out under the new master"
	daemon a h1
	becomes a role standby # although its priority is higher
	is b role master || fail "b is $IS"
	sim link spine1/1 up || fail "link"
	in_order "the cable back"
	halt b
	becomes a role master
	in_order "the first one has it again"
}

test_handover() {
	mkdir -p "$E2E_DIR/osm"
	launch osm h9 opensm -p 1 -s 3 -d2 -f "$E2E_DIR/osm/osm.log"
	until_true 40 grep -qs 'SUBNET UP' "$E2E_DIR/osm/osm.log" ||
		fail "opensm: no SUBNET UP"
	config a 10 </dev/null
	daemon a h1
	becomes a role master
	grep -q 'another SM has this fabric' "$E2E_DIR/a/log" ||
		fail "it did not stand by: $(tail -n 5 "$E2E_DIR/a/log")"
	grep -q 'hand-over from the old master' "$E2E_DIR/a/log" ||
		fail "not by hand-over: $(tail -n 5 "$E2E_DIR/a/log")"
	in_order "handed over"
	grep 'did not take' "$E2E_DIR/a/log" && fail "not acknowledged"
	becomes a others.0.state 2
	is a role master || fail "it went back: $IS"
}

# named NAME NODE: does it know that name?
named() {
	tell "$1" topology | grep -q "$2"
}

# reload NAME: SIGHUP
reload() {
	kill -HUP "$(cat "$E2E_DIR/$1/pid")" || fail "no daemon"
}

test_reload() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	becomes a lids.used 44
	printf '  lmc:\n    hosts: 1\n' >>"$E2E_DIR/a/yaml"
	reload a
	becomes a config.reloads 1
	becomes a lids.used 76
	in_order "LMC 1"
	printf '  lmcs: 2\n' >>"$E2E_DIR/a/yaml"
	reload a
	becomes a config.bad_reloads 1
	grep -q 'yaml:1[0-9]:3: .*lmcs' "$E2E_DIR/a/log" ||
		fail "no line and column: $(tail -n 3 "$E2E_DIR/a/log")"
	metric a 'heddle_config_reloads_refused_total 1'
	metric a 'heddle_config_refused 1'
	metric a 'heddle_config_refused_info{reason=".*yaml:1[0-9]:3: .*"} 1'
	is a lids.used 76 || fail "another configuration: $IS"
	is a role master || fail "role $IS"
	config a 5 </dev/null
	reload a
	becomes a config.reloads 3
	is a config.bad_reloads 1 || fail "bad reloads: $IS"
	metric a 'heddle_config_refused 0'
	becomes a lids.used 44
	in_order "LMC 0 again"
	halt a
	tell a metrics --output "$E2E_DIR/a/prom" 2>/dev/null
	[ $? = 3 ] || fail "not unreachable"
	grep -q '^heddle_up 0$' "$E2E_DIR/a/prom" || fail "not down"
}

e2e_init
trap halt_all EXIT
test=${1%%-*}
case $test in
quarantine | reboot | standby | handover | reload) ;;
*) fail "usage: daemon.sh quarantine|reboot|standby|handover|reload-FABRIC" ;;
esac
fabric "${1#*-}" "$E2E_DIR/fabric.net"
serve "$E2E_DIR/fabric.net"
"test_$test"
say "OK: $1"
