#!/bin/sh
# make demo: Heddle at work, in a minute and without hardware. A small fabric in
# heddle-sim comes up, loses a link, gets it back, and has a switch lose its
# power. The table at the end is judged from the switches' tables, read by
# ibnetdiscover and dump_fts, and by the simulator, not from heddled's own
# report.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

newer() {
	gone "$E2E_SM_PID" && fail "heddled ended: $(cat "$E2E_DIR/sm.out")"
	[ "$(status_get generation)" -gt "$1" ] 2>/dev/null
}

# name_of ID: the name of a node of the fabric
name_of() {
	awk -v id="\"$1\"" '$3 == id {
		split($0, q, "\"")
		print q[4]
		exit
	}' "$E2E_DIR/fabric.net"
}

# stage NAME GENERATION T0: wait for the next view, show it, judge it
stage() {
	until_true 60 newer "$2" || fail "nothing happened for 60 s:" \
		"$(tail -n 5 "$E2E_DIR/sm.out")"
	until_true 60 settled || fail "not in order: $(cat "$E2E_DIR/settled")"
	since "$3" >"$E2E_DIR/$1.took"
	ctl status | sed -n '/^\(view\|fabric\|ports\|routing\) /s/^/    | /p'
	after=$(sent_so_far)
	echo $((${after#* } - ${before#* })) >"$E2E_DIR/$1.blocks"
	echo $((${after% *} - ${before% *})) >"$E2E_DIR/$1.smps"
	before=$after
	cp "$E2E_DIR/settled" "$E2E_DIR/$1.sim"
	judge "$1" 2>"$E2E_DIR/$1.wrong" || wrong=1
}

# settled: the simulator finds nothing wrong in the tables of its switches
settled() {
	sim judge >"$E2E_DIR/settled" 2>&1
}

# looked_again: the light sweep that follows a start is over, too
looked_again() {
	[ "$(status_get sweeps.light)" -gt 0 ] && at_rest
}

cell() {
	case $2 in
	took) echo "$(cat "$E2E_DIR/$1.took") s" ;;
	blocks | smps) cat "$E2E_DIR/$1.$2" ;;
	links) sed -n 's/^OK: \([0-9]*\) links.*/\1/p' "$E2E_DIR/$1.sim" ;;
	reach)
		pairs=$(json_get "$E2E_DIR/$1.json" pairs)
		lost=$(json_get "$E2E_DIR/$1.json" unreachable)
		echo "$((pairs - lost)) of $pairs"
		;;
	*) json_get "$E2E_DIR/$1.json" "$2" ;;
	esac
}

line() {
	printf '  %-32s %12s %12s %12s %12s\n' "$1" "$(cell up "$2")" \
		"$(cell pulled "$2")" "$(cell restored "$2")" \
		"$(cell rebooted "$2")"
}

table() {
	say
	printf '  %-32s %12s %12s %12s %12s\n' "" "brought up" "cable out" \
		"put back" "power cut"
	line "switches" switches
	line "hosts" hosts
	line "links that carry data" links
	line "pairs of ports that reach" reach
	line "links that could deadlock" cyclic
	line "time until all was in order" took
	line "management packets sent" smps
	line "of these blocks of 64 routes" blocks
	say
	say "A link could deadlock if packets on it could wait for each other in" \
		"a circle. The"
	say "management packets include a sample of the written blocks that is" \
		"read back later."
	say
}

# happens NAME COMMAND...: command the simulator, and show how heddled reacts
happens() {
	h_name=$1
	shift
	g=$(status_get generation)
	t0=$(now)
	sim "$@" >/dev/null || fail "heddle-sim ctl $*"
	stage "$h_name" "$g" "$t0"
}

# try_next: the fabric is kept, with a configuration for it; print three
# commands that begin anew with them
try_next() {
	kept=${E2E_DEMO:-$B/demo}
	mkdir -p "$kept" && chmod go= "$kept"
	cp "$E2E_DIR/fabric.net" "$kept/fabric.ibnet"
	cat >"$kept/heddle.yaml" <<-EOF
		state:
		  dir: $kept/state
		control:
		  socket: $kept/socket
	EOF
	b=${B#"$PWD/"}
	k=${kept#"$PWD/"}
	say
	say "Try next, on the same fabric:"
	say
	say "  $b/heddle-sim serve $k/fabric.ibnet --name demo &"
	say "  $b/heddle-sim run --host h1 demo -- $b/heddled -c" \
		"$k/heddle.yaml &"
	say "  HEDDLE_SOCKET=$k/socket $b/heddlectl routes h1 h32"
	say
	say "README.md goes on from there: \"A fabric on your desk\"."
}

main() {
	E2E_NEEDS="ibnetdiscover dump_fts"
	e2e_init
	E2E_SO=$B/libheddle-umad.so
	wrong=0
	before="0 0"
	fabric demo "$E2E_DIR/fabric.net" 2>/dev/null
	say "A simulated fabric: 4 spines, 8 leaves, 32 hosts. No port has a" \
		"LID and no switch a forwarding table yet."
	serve "$E2E_DIR/fabric.net"
	say
	say "heddled starts."
	t0=$(now)
	sm_start
	stage up 0 "$t0"
	soon looked_again || fail "no light sweep"
	before=$(sent_so_far)
	# shellcheck disable=SC2046
	set -- $(net_cables "$E2E_DIR/fabric.net" | pick 1 1)
	say
	say "The cable is pulled between $(name_of "$1") port $2 and" \
		"$(name_of "$3") port $4."
	happens pulled link "$1/$2" down
	say
	say "The cable is put back."
	happens restored link "$1/$2" up
	say
	say "$(name_of "$3") loses power for a moment, and with it its" \
		"tables."
	happens rebooted reboot "$3"
	table
	if [ "$wrong" != 0 ]; then
		cat "$E2E_DIR"/*.wrong
		fail "a check above failed"
	fi
	say "Every port reached every port each time, and no deadlock was" \
		"possible. That is what Heddle is for."
	try_next
}

main
