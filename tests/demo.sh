#!/bin/sh
# make demo: what Heddle does, in a minute and without hardware. A small fabric
# in a simulator comes up, loses a cable, and gets it back. The table at the end
# is judged from what the switches hold, not from what heddled says.
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
	since "$3" >"$E2E_DIR/$1.took"
	ctl status | sed -n '/^\(view\|fabric\|ports\|routing\) /s/^/    | /p'
	sleep 0.2
	after=$(sent_so_far)
	echo $((${after#* } - ${before:-0})) >"$E2E_DIR/$1.blocks"
	before=${after#* }
	judge "$1" 2>"$E2E_DIR/$1.wrong" || wrong=1
	states "$1" >"$E2E_DIR/$1.states" || wrong=1
}

cell() {
	case $2 in
	took) echo "$(cat "$E2E_DIR/$1.took") s" ;;
	blocks) cat "$E2E_DIR/$1.blocks" ;;
	active)
		sed -n 's/.* \([0-9]*\) ports with a cable, \([0-9]*\) Active.*/\2 of \1/p' \
			"$E2E_DIR/$1.states"
		;;
	reach)
		pairs=$(json_get "$E2E_DIR/$1.json" pairs)
		lost=$(json_get "$E2E_DIR/$1.json" unreachable)
		echo "$((pairs - lost)) of $pairs"
		;;
	*) json_get "$E2E_DIR/$1.json" "$2" ;;
	esac
}

line() {
	printf '  %-34s %14s %14s %14s\n' "$1" "$(cell up "$2")" \
		"$(cell pulled "$2")" "$(cell restored "$2")"
}

table() {
	say
	printf '  %-34s %14s %14s %14s\n' "" "brought up" "cable pulled" \
		"put back"
	line "switches" switches
	line "hosts" hosts
	line "ports with a cable that are Active" active
	line "pairs of ports that reach" reach
	line "channels that could deadlock" cyclic
	line "time until the switches were right" took
	line "table blocks written" blocks
	say
}

main() {
	e2e_init
	wrong=0
	fabric demo "$E2E_DIR/fabric.net" 2>/dev/null
	say "A simulated fabric: 4 spines, 8 leaves, 32 hosts. It is dead: no" \
		"port has an address, no switch knows a way."
	sim_start "$E2E_DIR/fabric.net"
	say
	say "heddled starts."
	t0=$(now)
	sm_start
	stage up 0 "$t0"
	# shellcheck disable=SC2046
	set -- $(net_cables "$E2E_DIR/fabric.net" | pick 1 1)
	say
	say "Somebody pulls the cable between $(name_of "$1") port $2 and" \
		"$(name_of "$3") port $4."
	g=$(status_get generation)
	t0=$(now)
	sim_cmd "Unlink \"$1\"[$2]"
	stage pulled "$g" "$t0"
	say
	say "The cable is put back."
	g=$(status_get generation)
	t0=$(now)
	sim_cmd "ReLink \"$1\"[$2]"
	stage restored "$g" "$t0"
	table
	if [ "$wrong" != 0 ]; then
		cat "$E2E_DIR"/*.wrong
		fail "something above is not as it should be"
	fi
	say "Every port reached every port each time, and no deadlock was" \
		"possible. That is what Heddle is for."
}

main
