#!/bin/sh
# heddle-sim with programs of other projects on it. usage: sim.sh TEST-FABRIC
#	reread	ibnetdiscover's print, read again, is the same fabric
#	opensm	opensm brings it up; sminfo, ibtracert and saquery agree, and
#		it ends when the program that started it gets a signal
#	heddled	heddled brings it up, with the tables and SMPs as on ibsim
#	device	heddled waits for its port at start, and again when the device
#		is lost, and brings the fabric up when it is back
#	mtu	a switch port acknowledges its MTU and keeps the old one: an
#		alarm, and paths by it have the MTU that it holds
#	keys	heddled takes over a fabric that opensm keyed and hid the keys
#		of; another key is a SIGHUP; other hosts read none
#	strangers half of the hosts and a switch have an M_Key that is not
#		known: they are named, the rest is up, until it is configured
#	faults	heddled survives loss, a dead link, a reboot, another switch in
#		the place of one, and finds a host that is plugged in
set -u
cd "$(dirname "$0")/../.." || exit 1
SM_ENGINE=${SM_ENGINE:-minhop}
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# judged_ok MANAGER [but]: the fabric is in order, perhaps but for cycles
judged_ok() {
	sim judge >"$E2E_DIR/judge" 2>&1 ||
		{ [ "${2:-}" = but ] &&
			grep -q '^error: cycle of ' "$E2E_DIR/judge" &&
			! grep -q '; ' "$E2E_DIR/judge"; } ||
		fail "after $1: $(cat "$E2E_DIR/judge")"
	say "$1: $(cat "$E2E_DIR/judge")"
}

# canonical FILE: a print without what a bring-up changes, nodes sorted
canonical() {
	"$B/heddle-sim" generate file "$1" 2>/dev/null |
		sed 's/ lid [0-9]* lmc [0-9]*//; s/ lid [0-9]* / /' |
		awk '/^$/ { n++ } { print n + 0 "\t" $0 }' |
		awk -F'\t' '{ t[$1] = t[$1] substr($0, length($1) + 2) "\r" }
			END { for (i in t) print t[i] }' |
		grep -v '^#' | LC_ALL=C sort
}

# through LIBRARY HOST COMMAND...
through() {
	th_library=$1
	th_host=$2
	th_what=$3
	shift 3
	# shellcheck disable=SC2046
	"$B/heddle-sim" run --preload "$th_library" --host "$th_host" \
		"$IBSIM_SOCKNAME" -- "$th_what" $(patience "$th_what") "$@"
}

test_reread() {
	serve "$E2E_DIR/fabric.net"
	for lib in umad2sim heddle; do
		through $lib "$E2E_SM_HOST" ibnetdiscover \
			>"$E2E_DIR/$lib.net" 2>"$E2E_DIR/$lib.err" ||
			fail "ibnetdiscover: $(tail -n 3 "$E2E_DIR/$lib.err")"
		canonical "$E2E_DIR/fabric.net" >"$E2E_DIR/want"
		canonical "$E2E_DIR/$lib.net" >"$E2E_DIR/got"
		[ -s "$E2E_DIR/want" ] || fail "nothing was read"
		cmp -s "$E2E_DIR/want" "$E2E_DIR/got" ||
			fail "$lib: another fabric:" \
				"$(diff "$E2E_DIR/want" "$E2E_DIR/got" |
					tr '\r' '\n' | head -n 10)"
		say "$lib: $(grep -c '' "$E2E_DIR/got") nodes, the same"
	done
	# a client can attach to port 0 of a switch, which is the default
	first=$(awk '$1 == "Switch" { print $3; exit }' \
		"$E2E_DIR/fabric.net" | tr -d '"')
	through umad2sim "$first" smpquery -D nodeinfo 0 2>/dev/null |
		grep -q 'NodeType.*Switch' || fail "no client on a switch"
	unserve
}

test_opensm() {
	serve "$E2E_DIR/fabric.net"
	through umad2sim "$E2E_SM_HOST" opensm -o -R "$SM_ENGINE" \
		-f "$E2E_DIR/once.osm" >"$E2E_DIR/osm.out" 2>&1 ||
		fail "opensm: $(tail -n 3 "$E2E_DIR/osm.out")"
	# between two spines of one tier it has no path but down and up
	judged_ok "opensm through umad2sim" but
	# otherwise the log has SUBNET UP only with some later line
	echo 'force_log_flush TRUE' >"$E2E_DIR/opensm.conf"
	(cd "$E2E_DIR" && exec "$B/heddle-sim" run --preload heddle \
		--host "$E2E_SM_HOST" "$IBSIM_SOCKNAME" -- opensm \
		-F "$E2E_DIR/opensm.conf" -R "$SM_ENGINE" \
		-f "$E2E_DIR/osm.log") >"$E2E_DIR/osm.out" 2>&1 &
	E2E_SM_PID=$!
	# before that it drops requests to subnet administration
	until_true 480 grep -qs 'SUBNET UP' "$E2E_DIR/osm.log" ||
		fail "opensm: not up"
	judged_ok "opensm through heddle" but
	sm_answers heddle || fail "sminfo finds no master"
	sm_answers umad2sim || fail "sminfo by umad2sim finds no master"
	tool=$(lid_of "$E2E_TOOL_HOST")
	sm=$(lid_of "$E2E_SM_HOST")
	through umad2sim "$E2E_TOOL_HOST" ibtracert "$tool" "$sm" \
		>"$E2E_DIR/trace" 2>&1 ||
		fail "ibtracert: $(tail -n 3 "$E2E_DIR/trace")"
	records NR 'NodeRecord dump' "$(awk '$1 ~ /^(Switch|Ca|Rt)$/' \
		"$E2E_DIR/fabric.net" | grep -c '')"
	records SMIR 'SMInfoRecord dump' 1
	records 'PR' 'PathRecord dump' 1 --slid "$tool" --dlid "$sm"
	kill "$E2E_SM_PID"
	soon gone "$E2E_SM_PID" || fail "heddle-sim run goes on"
	[ -z "$(pgrep -f "opensm -F $E2E_DIR/opensm.conf")" ] ||
		fail "opensm goes on when heddle-sim run was told to end"
	E2E_SM_PID=
	unserve
}

# records WHAT WORD N [saquery options]: subnet administration has N of them.
records() {
	r_what=$1
	r_word=$2
	r_n=$3
	shift 3
	through heddle "$E2E_TOOL_HOST" saquery "$@" "$r_what" \
		>"$E2E_DIR/records" 2>&1 ||
		fail "saquery $r_what: $(tail -n 3 "$E2E_DIR/records")"
	r_got=$(grep -c "$r_word" "$E2E_DIR/records")
	[ "$r_got" = "$r_n" ] || fail "saquery $r_what: $r_got of $r_n"
	say "saquery $r_what: $r_got"
}

# lid_of HOST: its LID, from the server itself
lid_of() {
	sim show "$1" | sed -n 's/^port .*: Active, lid \([0-9]*\) .*/\1/p'
}

sm_answers() {
	through "$1" "$E2E_TOOL_HOST" sminfo 2>/dev/null |
		grep -q 'SMINFO_MASTER'
}

# SMPs by attribute as heddled's summary has them, and the tables
summary() {
	# reads after the first view end with the daemon
	grep '^smps' "$E2E_DIR/sm.log" |
		grep -v -e NodeDescription -e MulticastForwardingTable |
		LC_ALL=C sort >"$E2E_DIR/$1.smps"
	[ -s "$E2E_DIR/$1.smps" ] || fail "heddled gave no summary"
	on "$E2E_TOOL_HOST" dump_fts -n >"$E2E_DIR/$1.fts" 2>/dev/null ||
		fail "dump_fts failed on $1"
}

# An SMP that is repeated because an answer is late may overtake a later one,
# and heddled would check its writes with further SMPs: the time-out is so long
# that none is repeated.
test_heddled() {
	E2E_TIMEOUT=20s
	# ibsim does not answer GeneralInfo, which Quantum switches are asked for
	sed -i 's/^devid=0xd2f[0-9a-f]$/devid=0xbd36/' "$E2E_DIR/fabric.net"
	sim_start "$E2E_DIR/fabric.net"
	sm_once || fail "heddled on ibsim: not up"
	summary ibsim
	sim_stop
	rm -rf "$E2E_DIR/state"
	serve "$E2E_DIR/fabric.net" --profile ibsim
	sm_once || fail "heddled on heddle-sim: not up"
	summary ours
	judged_ok "heddled as on ibsim"
	cmp "$E2E_DIR/ibsim.fts" "$E2E_DIR/ours.fts" ||
		fail "other tables than on ibsim"
	diff "$E2E_DIR/ibsim.smps" "$E2E_DIR/ours.smps" ||
		fail "other SMPs than on ibsim"
	unserve
	rm -rf "$E2E_DIR/state"
	serve "$E2E_DIR/fabric.net"
	sm_once || fail "heddled on heddle-sim: not up"
	judged_ok "heddled"
	summary full
	unserve
	# ibsim begins with the LIDs of a captured file, which are kept; a
	# fabric after power-on has none, and other LIDs make other blocks
	lids=
	grep -q ' lid [1-9]' "$E2E_DIR/fabric.net" && lids=captured
	# ibsim reads speeds newer than HDR as SDR: the ports of hosts that know
	# extended speeds are read again, to see theirs
	same=
	grep -q 'x[NX]DR' "$E2E_DIR/fabric.net" && same='s/\(PortInfo get=\)[0-9]*/\1/'
	for as in ours full; do
		sed "$same" "$E2E_DIR/$as.smps" >"$E2E_DIR/$as.same"
	done
	diff "$E2E_DIR/ours.same" "$E2E_DIR/full.same" >"$E2E_DIR/more" ||
		{ [ -n "$lids" ] &&
			! grep '^[<>]' "$E2E_DIR/more" |
			grep -qv LinearForwardingTable; } ||
		fail "other SMPs with the full profile: $(cat "$E2E_DIR/more")"
	[ -n "$lids" ] || cmp "$E2E_DIR/ours.fts" "$E2E_DIR/full.fts" ||
		fail "other tables with the full profile"
	say "SMPs on ibsim and with profile ibsim, tables the same:"
	cat "$E2E_DIR/ibsim.smps"
	say "with the full profile${lids:+, which begins without LIDs}:"
	cat "$E2E_DIR/full.smps"
}

all_well() {
	sim judge >"$E2E_DIR/judge" 2>&1
}

found_late() {
	all_well && sim show late | grep -q '^port 1: Active, lid [1-9]'
}

test_faults() {
	# some free ports
	sed 's/^Switch	36 /Switch	40 /' "$E2E_DIR/fabric.net" >"$E2E_DIR/f.net"
	serve "$E2E_DIR/f.net" --seed 7
	sm_start
	soon all_well || fail "bring-up: $(cat "$E2E_DIR/judge")"
	rest
	sim loss 5 || fail "no loss"
	net_cables "$E2E_DIR/fabric.net" | pick 1 1 >"$E2E_DIR/cable"
	read -r a ap b bp <"$E2E_DIR/cable"
	sim link "$a/$ap" down || fail "no cable to pull"
	soon all_well || fail "a cable out: $(cat "$E2E_DIR/judge")"
	sim link "$a/$ap" up || fail "no cable to put back"
	sim reboot "$b" || fail "no reboot"
	soon all_well || fail "a reboot: $(cat "$E2E_DIR/judge")"
	sim loss 0 || fail "no end of the loss"
	say "cable $a/$ap to $b/$bp and a reboot: $(cat "$E2E_DIR/judge")"
	sim replace "$a" 0xabcdef0123456789 || fail "no other switch"
	soon all_well || fail "a new switch: $(cat "$E2E_DIR/judge")"
	sim add late "$b" >"$E2E_DIR/late" || fail "no host: $(cat "$E2E_DIR/late")"
	sim add late "$a" 2>/dev/null && fail "one host in two places"
	soon found_late || fail "a new host: $(cat "$E2E_DIR/judge")"
	say "another switch, and a host with $(cat "$E2E_DIR/late")"
	sm_stop
	unserve
}

# waiting: the daemon's control socket answers, with an alarm
waiting() {
	case $(status_get alarm) in
	"no port: "*) return 0 ;;
	esac
	return 1
}

# run_daemon HOST: heddled through libheddle-umad.so, whose messages have any
# length
run_daemon() {
	sm_config
	"$B/heddle-sim" run --preload heddle --host "$1" "$IBSIM_SOCKNAME" -- \
		"$B/heddled" -c "$E2E_CONF" >"$E2E_DIR/sm.out" 2>&1 &
	E2E_SM_PID=$!
}

# kill -9 of the simulator is to its clients what a reset of the adapter is:
# every read and write fails, and the device has to be opened anew.
test_device() {
	net_hosts "$E2E_DIR/fabric.net" >"$E2E_DIR/hosts"
	run_daemon "$(head -n 1 "$E2E_DIR/hosts")"
	soon waiting || fail "no alarm before there is a port"
	serve "$E2E_DIR/fabric.net"
	soon all_well || fail "a late port: $(cat "$E2E_DIR/judge")"
	rest
	[ -z "$(status_get alarm)" ] || fail "alarm: $(status_get alarm)"
	for i in 1 2; do
		kill -9 "$E2E_SIM_PID"
		wait "$E2E_SIM_PID" 2>/dev/null
		soon waiting || fail "no alarm when the device is lost"
		ctl sweep >"$E2E_DIR/sweep" 2>&1 && fail "a sweep without a port"
		grep -q 'no port' "$E2E_DIR/sweep" ||
			fail "sweep: $(cat "$E2E_DIR/sweep")"
		serve "$E2E_DIR/fabric.net"
		back=$(now)
		soon all_well || fail "device back: $(cat "$E2E_DIR/judge")"
		say "loss $i: in order $(since "$back") s after the return"
	done
	rest
	[ -z "$(status_get alarm)" ] || fail "alarm: $(status_get alarm)"
	grep -q 'port: lost: heddle0/1: Input/output error' \
		"$E2E_DIR/sm.out" || fail "the log does not name the device"
	sm_stop
	unserve
}

# switch_port FILE HOST: "id/port" of the switch port at port 1 of a host
switch_port() {
	awk -v host="$2" '$1 ~ /^(Switch|Ca|Hca|Rt)$/ { id = $3
			gsub(/"/, "", id) }
		/^\[1\]/ && id == host {
			split($0, q, "\"")
			split(q[3], e, /[][]/)
			print q[2] "/" e[2]
		}' "$1"
}

keeps_mtu() {
	case $(status_get alarm) in
	"port ${at#*/} of "*" NeighborMTU 256 instead of 4096; "*) return 0 ;;
	esac
	return 1
}

no_alarm() {
	[ -z "$(status_get alarm)" ]
}

# path_mtu FROM TO CODE
path_mtu() {
	through heddle "$1" saquery PR --slid "$(lid_of "$1")" \
		--dlid "$(lid_of "$2")" >"$E2E_DIR/path" 2>&1 ||
		fail "saquery PR: $(tail -n 3 "$E2E_DIR/path")"
	grep -q "mtu\.*$3" "$E2E_DIR/path" || fail "not MTU $3 from $1 to $2:" \
		"$(grep mtu "$E2E_DIR/path")"
}

test_mtu() {
	serve "$E2E_DIR/fabric.net"
	at=$(switch_port "$E2E_DIR/fabric.net" "$E2E_TOOL_HOST")
	sim fault "${at%/*}" mtu 2>/dev/null && fail "a fault of no port"
	sim fault "$at" mtu || fail "no fault at $at"
	run_daemon "$E2E_SM_HOST"
	soon all_well || fail "bring-up: $(cat "$E2E_DIR/judge")"
	rest
	soon keeps_mtu || fail "alarm: $(status_get alarm)"
	ctl status >"$E2E_DIR/status" && fail "the status is well"
	grep -q '^settings    1 port keeps' "$E2E_DIR/status" ||
		fail "status: $(cat "$E2E_DIR/status")"
	other=$(sed -n 2p "$E2E_DIR/hosts")
	path_mtu "$other" "$E2E_TOOL_HOST" 0x81
	path_mtu "$E2E_TOOL_HOST" "$other" 0x81
	path_mtu "$other" "$E2E_SM_HOST" 0x85
	ctl sweep --wait >/dev/null # by then hosts were asked to register anew
	rest
	sent=$(status_get wire.by_attribute.PortInfo.set)
	ctl sweep --wait >/dev/null # the alarm makes its exit status 1
	rest
	soon keeps_mtu || fail "alarm after a sweep: $(status_get alarm)"
	[ "$(status_get wire.by_attribute.PortInfo.set)" = "$sent" ] ||
		fail "the port is sent its MTU again: $sent, then" \
			"$(status_get wire.by_attribute.PortInfo.set)"
	sim fault "${at%/*}" off || fail "no end of the fault"
	sim link "$at" down || fail "no cable to pull"
	soon no_alarm || fail "unplugged: $(status_get alarm)"
	sim link "$at" up || fail "no cable to put back"
	soon all_well || fail "plugged in: $(cat "$E2E_DIR/judge")"
	rest
	no_alarm || fail "alarm: $(status_get alarm)"
	path_mtu "$other" "$E2E_TOOL_HOST" 0x85
	say "$at: $(grep ALARM "$E2E_DIR/status")"
	sm_stop
	unserve
}

# key_is LID KEY [USED]: smpquery of another host shows this M_Key, where it
# bears the key USED, or none
key_is() {
	through heddle "$E2E_TOOL_HOST" smpquery -K ${3:+-y "$3"} \
		portinfo "$1" 2>/dev/null | grep -q "^Mkey:\.*$2\$"
}

# keyed KEY: every host has it, and hides it from those that do not bear it
keyed() {
	while read -r k_host; do
		k_lid=$(lid_of "$k_host")
		key_is "$k_lid" "$1" "$1" </dev/null || return 1
		key_is "$k_lid" 0x0000000000000000 </dev/null || return 1
	done <"$E2E_DIR/hosts"
}

keys_config() {
	E2E_CONF_FABRIC="  m_key: $1
  m_keys_known: $2"
	sm_config
}

later_generation() {
	[ "$(status_get generation)" -gt "$generation" ]
}

test_keys() {
	serve "$E2E_DIR/fabric.net"
	cat >"$E2E_DIR/osm.conf" <<-EOF
		m_key 0x0000000000001111
		m_key_lease_period 60
		m_key_protection_level 1
	EOF
	through heddle "$E2E_SM_HOST" opensm -o -R "$SM_ENGINE" \
		-F "$E2E_DIR/osm.conf" -f "$E2E_DIR/osm.log" \
		>"$E2E_DIR/osm.out" 2>&1 || fail "opensm: not up"
	keyed 0x0000000000001111 || fail "opensm has not keyed the hosts"
	keys_config 0x2222 '[0x1111]'
	chmod o+r "$E2E_CONF"
	"$B/heddled" -c "$E2E_CONF" --check-config 2>"$E2E_DIR/open" &&
		fail "keys that every user can read are accepted"
	grep -q "chmod o= $E2E_CONF" "$E2E_DIR/open" ||
		fail "no command: $(cat "$E2E_DIR/open")"
	chmod o= "$E2E_CONF"
	"$B/heddled" -c "$E2E_CONF" --print-config | grep -i 0x2222 &&
		fail "a key is printed"
	sm_start
	soon all_well || fail "take-over: $(cat "$E2E_DIR/judge")"
	rest
	[ -z "$(status_get alarm)" ] || fail "alarm: $(status_get alarm)"
	keyed 0x0000000000002222 || fail "hosts have not the new key"
	say "taken over from opensm: $(cat "$E2E_DIR/judge")"
	generation=$(status_get generation)
	violations=$(status_get faults.m_key)
	keys_config 0x3333 '[]'
	kill -HUP "$E2E_SM_PID"
	soon later_generation || fail "no run after the reload"
	rest
	all_well || fail "another key: $(cat "$E2E_DIR/judge")"
	[ -z "$(status_get alarm)" ] || fail "alarm: $(status_get alarm)"
	keyed 0x0000000000003333 || fail "hosts have not the last key"
	[ "$(status_get faults.m_key)" = "$violations" ] ||
		fail "$(status_get faults.m_key) violations"
	say "another key: $(cat "$E2E_DIR/judge")"
	sm_stop
	unserve
}

# unknown_ports COUNT KIND: so many ports that are unknown, or silent
unknown_ports() {
	[ "$(status_get "m_keys.$2")" = "$1" ] 2>/dev/null
}

some_ports() {
	[ "$(status_get "m_keys.$1")" -gt 0 ] 2>/dev/null
}

# all of those without a key of another manager have ours
ours_keyed() {
	while read -r o_host; do
		sim show "$o_host" </dev/null | grep -q '^port 1: Active' ||
			return 1
	done <"$E2E_DIR/ours"
}

# Half of the hosts, and one switch of a tier, have the key of a manager that
# has gone; at level 1 they hide it, at level 2 they do not answer.
test_strangers() {
	serve "$E2E_DIR/fabric.net"
	sed -n 'n;p' "$E2E_DIR/hosts" >"$E2E_DIR/theirs"
	sed -n 'p;n' "$E2E_DIR/hosts" >"$E2E_DIR/ours"
	awk '$1 == "Switch" { gsub(/"/, "", $3); last = $3 } END { print last }' \
		"$E2E_DIR/fabric.net" >>"$E2E_DIR/theirs"
	n=$(grep -c '' "$E2E_DIR/theirs")
	for level in 1 2; do
		while read -r host; do
			sim key "$host" 0xf0f0 $level </dev/null ||
				fail "no key of $host"
		done <"$E2E_DIR/theirs"
		keys_config 0x2222 '[]'
		began=$(date +%s)
		sm_start
		kind=unknown
		[ $level = 1 ] || kind=silent
		soon some_ports $kind ||
			fail "level $level: $(status_get m_keys)"
		rest
		say "level $level: $(status_get m_keys.$kind) $kind of $n" \
			"after $(($(date +%s) - began)) s:" \
			"$(status_get alarm)"
		[ $level = 2 ] || unknown_ports "$n" unknown ||
			fail "$(status_get m_keys.unknown) of $n ports"
		ctl status >"$E2E_DIR/status" && fail "the status is well"
		grep -q '^ *without [0-9]* ports* that' "$E2E_DIR/status" ||
			fail "the verdict says too much:" \
				"$(cat "$E2E_DIR/status")"
		grep -q '^M_Keys ' "$E2E_DIR/status" ||
			fail "status: $(cat "$E2E_DIR/status")"
		ctl metrics | grep -q "^heddle_m_key_ports{state=\"$kind\"} [1-9]" ||
			fail "no metric: $(ctl metrics | grep m_key)"
		[ $level = 2 ] || soon ours_keyed || fail "ours are not up"
		keys_config 0x2222 '[0xf0f0]'
		kill -HUP "$E2E_SM_PID"
		soon all_well || fail "recovery: $(cat "$E2E_DIR/judge")"
		rest
		soon no_alarm || fail "alarm: $(status_get alarm)"
		keyed 0x0000000000002222 || fail "not all have our key"
		say "level $level, its key configured: $(cat "$E2E_DIR/judge")"
		sm_stop
	done
	unserve
}

e2e_init
test=${1%%-*}
case $test in
reread | opensm | heddled | keys | strangers | faults | device | mtu) ;;
*) fail "usage: sim.sh reread|opensm|heddled|keys|strangers|faults|device|mtu-FABRIC" ;;
esac
fabric "${1#*-}" "$E2E_DIR/fabric.net"
"test_$test"
say "OK: $1"
