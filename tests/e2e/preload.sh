#!/bin/sh
# usage: preload.sh CHECK
# Programs of other projects on a simulated fabric, with libheddle-umad.so:
#	tables	opensm brings up 648 hosts; every tool reads them, saquery
#		gets whole tables
#	ports	a host with two ports on two leaves
#	probe	descriptors, time-outs, agents: umadprobe
#	heddled	heddled, a sanitized build too if there is one
#	planar	heddled on a port in two devices, QP0 and QP1 apart
#	counters perfquery reads the counters that the simulator was told
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# stat_of WORD: a count of the server: in, out, timeouts, dropped
stat_of() {
	sim clients | sed -n "s/^libheddle-umad:.* \([0-9]*\) $1.*/\1/p"
}

# preload_of PROGRAM: a sanitizer's runtime must come first; its wrappers go on
# to ours.
preload_of() {
	case $1 in
	/*) ldd "$1" | awk '/libasan/ { printf "%s:", $3 }' ;;
	esac
	echo "$E2E_SO"
}

# under HOST COMMAND...: run it on that node; it must leave no files
under() {
	u_host=$1
	u_what=$2
	shift 2
	u_preload=$(preload_of "$u_what")
	u_dir=$(mktemp -d "$E2E_DIR/client.XXXXXX")
	# shellcheck disable=SC2046
	(cd "$u_dir" && exec env SIM_HOST="$u_host" LD_PRELOAD="$u_preload" \
		OSM_TMP_DIR="$E2E_DIR" OSM_CACHE_DIR="$E2E_DIR" \
		"$u_what" $(patience "$u_what") "$@")
	u_rc=$?
	rmdir "$u_dir" || fail "$u_what left $(ls "$u_dir") behind"
	return $u_rc
}

# sm HOST: run opensm on that host, until SUBNET UP
sm() {
	# otherwise the log has SUBNET UP only with some later line
	echo 'force_log_flush TRUE' >"$E2E_DIR/opensm.conf"
	E2E_SM_HOST=$1
	sm_launch opensm -F "$E2E_DIR/opensm.conf" -f "$E2E_DIR/sm.log"
	soon grep -qs 'SUBNET UP' "$E2E_DIR/sm.log" ||
		fail "opensm: no SUBNET UP"
}

# links FILE: the pairs of linked nodes in an ibnetdiscover file
links() {
	sed -e 's/#.*//' -e 's/([0-9a-f]*)//g' "$1" | awk '
		/^(Switch|Ca)[ \t]/ { node = $1 " " $2 " " $3; print node }
		/^\[/ { print node, $1, $2 }' | sort
}

same_fabric() {
	links "$1" >"$E2E_DIR/links.1"
	links "$2" >"$E2E_DIR/links.2"
	cmp -s "$E2E_DIR/links.1" "$E2E_DIR/links.2"
}

check_tables() {
	fabric tree648 "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	under h7 ibnetdiscover >"$E2E_DIR/read.net" 2>/dev/null ||
		fail "ibnetdiscover: $?"
	same_fabric "$E2E_DIR/fabric.net" "$E2E_DIR/read.net" ||
		fail "ibnetdiscover read another fabric"
	under h7 ibstat | grep -q 'Base lid: 0$' || fail "a LID before any SM"
	sm h1
	lid=$(under h7 ibstat | sed -n 's/.*Base lid: //p')
	[ "$lid" -gt 0 ] || fail "sysfs still says LID $lid"
	under h7 ibstat | grep -q 'State: Active' || fail "sysfs: not Active"
	n=$(under h7 saquery NR | grep -c NodeDescription)
	[ "$n" = 702 ] || fail "saquery NR: $n of 702 nodes"
	n=$(under h7 saquery -t 60000 PR | grep -c 'PathRecord dump')
	[ "$n" = $((702 * 702)) ] || fail "saquery PR: $n paths"
	n=$(under h7 "$B/heddle-umadprobe" table)
	[ "$n" = 702 ] || fail "umadprobe table: $n"
	under h7 sminfo | grep -q 'SMINFO_MASTER' || fail "sminfo"
	under h9 smpquery nd "$lid" | grep -q 'h7$' || fail "smpquery $lid"
	under h9 ibtracert 1 "$lid" | grep -q '^To ca .*"h7"' ||
		fail "ibtracert 1 $lid"
	under h9 perfquery "$lid" 1 | grep -q 'PortXmitData' ||
		fail "perfquery $lid"
	[ "$(stat_of dropped)" = 0 ] || fail "the server dropped messages"
}

# counted LID PORT NAME N [OPTION]: perfquery reads that count of it
counted() {
	# shellcheck disable=SC2086
	n=$(under h9 perfquery ${5:-} "$1" "$2" | sed -n "s/^$3:\\.*//p")
	[ "$n" = "$4" ] || fail "perfquery ${5:-} $1 $2: $3 is $n, not $4"
}

# told NODE/PORT NAME N: the simulator is told so
told() {
	sim counter "$@" || fail "counter $*"
}

check_counters() {
	fabric demo "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	sm h1
	leaf=$(sim show leaf3 | sed -n 's/^port 0: [a-zA-Z]*, lid \([0-9]*\).*/\1/p')
	host=$(under h7 ibstat | sed -n 's/.*Base lid: //p')
	for of in "leaf3/5 $leaf 5" "h7/1 $host 1"; do
		# shellcheck disable=SC2086
		set -- $of
		told "$1" SymbolErrorCounter 12345
		told "$1" LinkErrorRecoveryCounter 77
		told "$1" LinkDownedCounter 254
		told "$1" LinkDownedCounter +3
		told "$1" PortRcvErrors 3
		told "$1" PortXmitDiscards 70000
		told "$1" LocalLinkIntegrityErrors 9
		told "$1" ExcessiveBufferOverrunErrors 16
		told "$1" VL15Dropped 5
		told "$1" PortXmitWait 123456789
		told "$1" PortMulticastXmitPkts 6000000000
		counted "$2" "$3" SymbolErrorCounter 12345
		counted "$2" "$3" LinkErrorRecoveryCounter 77
		counted "$2" "$3" LinkDownedCounter 255 # all it can count
		counted "$2" "$3" PortRcvErrors 3
		counted "$2" "$3" PortXmitDiscards 65535
		counted "$2" "$3" LocalLinkIntegrityErrors 9
		counted "$2" "$3" ExcessiveBufferOverrunErrors 15
		counted "$2" "$3" VL15Dropped 5
		counted "$2" "$3" PortXmitWait 123456789
		counted "$2" "$3" PortMulticastXmitPkts 6000000000 -x
	done
	# resetting is for administrators, and clears both kinds
	under h9 perfquery -R "$leaf" 5 || fail "perfquery -R"
	counted "$leaf" 5 SymbolErrorCounter 0
	counted "$leaf" 5 PortXmitDiscards 0
	sim agent leaf3 mute || fail agent
	! under h9 perfquery -t 200 "$leaf" 5 >/dev/null 2>&1 ||
		fail "an agent that is mute answers"
}

# A fabric file: two leaves, a spine, a host on both leaves and one on each.
two_ports() {
	cat <<-EOF
		Switch	4 "S-0000000000000010"		# "left"
		[1]	"H-0000000000000100"[1]
		[2]	"H-0000000000000200"[1]
		[4]	"S-0000000000000030"[1]

		Switch	4 "S-0000000000000020"		# "right"
		[1]	"H-0000000000000100"[2]
		[2]	"H-0000000000000300"[1]
		[4]	"S-0000000000000030"[2]

		Switch	4 "S-0000000000000030"		# "spine"
		[1]	"S-0000000000000010"[4]
		[2]	"S-0000000000000020"[4]

		Ca	2 "H-0000000000000100"		# "both"
		[1]	"S-0000000000000010"[1]
		[2]	"S-0000000000000020"[1]

		Ca	1 "H-0000000000000200"		# "one"
		[1]	"S-0000000000000010"[2]

		Ca	1 "H-0000000000000300"		# "other"
		[1]	"S-0000000000000020"[2]
	EOF
}

check_ports() {
	two_ports >"$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	sm one
	under both ibstat >"$E2E_DIR/ibstat" || fail "ibstat"
	n=$(grep -c 'State: Active' "$E2E_DIR/ibstat")
	[ "$n" = 2 ] || fail "$n active ports of 2"
	n=$(sed -n 's/.*Base lid: //p' "$E2E_DIR/ibstat" | sort -u | grep -vc '^0$')
	[ "$n" = 2 ] || fail "$n LIDs for 2 ports"
	for port in 1 2; do
		under both smpquery -P $port -D nd 0,$port |
			grep -qE '(left|right)$' || fail "port $port: nd"
		under both ibnetdiscover -P $port >"$E2E_DIR/read.net" \
			2>/dev/null || fail "port $port: ibnetdiscover"
		same_fabric "$E2E_DIR/fabric.net" "$E2E_DIR/read.net" ||
			fail "port $port sees another fabric"
		n=$(under both saquery -P $port NR | grep -c NodeDescription)
		[ "$n" = 7 ] || fail "port $port: saquery NR: $n records of 7"
	done
	# an answer goes to the port that asked, and to no other
	under both smpquery -P 2 -D nd 0,2 | grep -q 'right$' ||
		fail "port 2 is not on the right"
}

# The library exports wrappers of libc's functions, and nothing else.
check_exports() {
	libc=$(ldd "$E2E_SO" | awk '/libc\.so/ { print $3 }')
	nm -D --defined-only "$E2E_SO" | awk '{ print $3 }' |
		sort >"$E2E_DIR/ours"
	nm -D --defined-only "$libc" | awk '{ sub(/@.*/, "", $3); print $3 }' |
		sort -u >"$E2E_DIR/libc"
	more=$(comm -23 "$E2E_DIR/ours" "$E2E_DIR/libc")
	[ -s "$E2E_DIR/ours" ] || fail "it exports nothing"
	[ -z "$more" ] || fail "exported: $more"
}

check_probe() {
	check_exports
	fabric demo "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	under h1 "$B/heddle-umadprobe" many 100 || fail "many"
	under h1 "$B/heddle-umadprobe" agents || fail "agents"
	under h1 "$B/heddle-umadprobe" issm || fail "issm"
	n=$(stat_of timeouts)
	sim hang leaf1 on >/dev/null
	soon hung || fail "leaf1 still answers"
	under h1 "$B/heddle-umadprobe" lost 1 || fail "lost"
	SIM_HOST=h1 LD_PRELOAD=$E2E_SO timeout 60 \
		smpquery -t 100 -D nd 0,1 >/dev/null 2>&1
	rc=$?
	[ $rc != 124 ] || fail "smpquery to a hung node waits for ever"
	[ $rc != 0 ] || fail "smpquery to a hung node has an answer"
	[ "$(stat_of timeouts)" -gt "$n" ] || fail "nothing timed out"
	sim hang leaf1 off >/dev/null
	soon awake || fail "leaf1 does not answer"
	# no server: an error message, no waiting
	unserve
	SIM_HOST=h1 LD_PRELOAD=$E2E_SO timeout 60 ibstat \
		>"$E2E_DIR/none" 2>&1
	grep -q 'libheddle-umad: simulator' "$E2E_DIR/none" ||
		fail "without a server: $(cat "$E2E_DIR/none")"
}

awake() {
	under h1 smpquery -t 100 -D nd 0,1 >/dev/null 2>&1
}

hung() {
	! awake
}

# once PROGRAM: bring the fabric up with it
once() {
	sm_config
	rm -rf "$E2E_DIR/state"
	under h1 "$1" -c "$E2E_CONF" --once \
		>"$E2E_DIR/sm.log" 2>&1 ||
		fail "$1: failed"
	grep -q '^The fabric is up' "$E2E_DIR/sm.log" || fail "$1: not up"
	grep -q 'Sanitizer' "$E2E_DIR/sm.log" && fail "$(cat "$E2E_DIR/sm.log")"
	say "$1: up"
}

check_heddled() {
	fabric demo "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	once "$B/heddled"
	san=${B%/san}/san/heddled
	if [ -x "$san" ]; then
		once "$san"
	else
		say "no $san: not tested"
	fi
}

check_planar() {
	fabric demo "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net" --planar
	E2E_CONF_MORE='health: {enabled: true, interval: 1s}'
	for port in auto smi0/1 heddle0/1; do
		sm_config
		sed -i "s|port: auto|port: $port|" "$E2E_CONF"
		sm_launch "$B/heddled" -c "$E2E_CONF"
		soon answers || fail "$port: $(tail "$E2E_DIR/sm.out")"
		grep -q 'device=smi0 .*sa_device=heddle0' "$E2E_DIR/sm.out" ||
			fail "$port: SMPs do not go through smi0"
		soon counters_read || fail "$port: no counters, by QP1"
		sm_stop
	done
}

# Counters of all ports are read, through the device with QP1.
counters_read() {
	[ "$(status_get health.read)" = 128 ]
}

# Subnet administration answers, through the device with QP1.
answers() {
	gone "$E2E_SM_PID" && fail "heddled ended: $(cat "$E2E_DIR/sm.out")"
	n=$(under h6 saquery -C heddle0 NR 2>/dev/null |
		grep -c NodeDescription)
	[ "$n" -ge 8 ]
}

e2e_init
E2E_SO=$B/libheddle-umad.so
case ${1:-} in
tables) check_tables ;;
ports) check_ports ;;
probe) check_probe ;;
heddled) check_heddled ;;
planar) check_planar ;;
counters) check_counters ;;
*)
	echo "usage: preload.sh tables|ports|probe|heddled|planar|counters" >&2
	exit 2
	;;
esac
say "PASS"
