#!/bin/sh
# usage: compare.sh [FABRIC...]
# heddled --once beside opensm -o -R updn: the same fabric, the same simulator,
# one run each, alternately (BENCH_ROUNDS, default 3; the best of each counts).
# Default: selene and tree3456; BENCH_BIG=1 adds the 11,664-host tree.
#
# Wall time and peak memory are those of the whole process. SMPs are counted by
# a library in front of libibumad's write, for both alike (smpcount.c), and
# compared with the floor, the fewest SMPs that can bring this fabric up:
#
#	blocks		64-LID blocks of the tables with an entry in them, as
#			read back at the end (in a dead fabric all are empty)
#	Gets		one PortInfo for each port with a link
#	links		one NodeInfo over each link
#	Sets		two PortInfo for each port with a link (to Armed, with
#			its parameters and LID, and to Active); one
#			PortInfo and two SwitchInfo a switch (clearing
#			PortStateChange; LinearFDBTop)
#
# Names are not necessary: one NodeDescription per node is shown beside it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

ROUNDS=${BENCH_ROUNDS:-3}

# one_run SM: a fresh simulator, one bring-up; adds "seconds KiB smps" to
# $E2E_DIR/SM.runs and leaves the counts in $E2E_DIR/SM.count
one_run() {
	SM=$1
	sim_start "$E2E_DIR/fabric.net"
	rm -rf "$E2E_DIR/state" "$E2E_DIR/time"
	E2E_PRE=$B/bench/smpcount.so
	SMPCOUNT_FILE=$E2E_DIR/$1.count
	export SMPCOUNT_FILE
	E2E_WRAP="/usr/bin/time -f %e:%M -o $E2E_DIR/time"
	sm_once || fail "$1 did not bring the fabric up:" \
		"$(tail -n 5 "$E2E_DIR/sm.log")"
	E2E_PRE=
	E2E_WRAP=
	unset SMPCOUNT_FILE
	echo "$(tail -n 1 "$E2E_DIR/time" | tr : ' ')" \
		"$(awk '{ n += $2 + $3 } END { print n }' \
			"$E2E_DIR/$1.count")" >>"$E2E_DIR/$1.runs"
	states "$1" >"$E2E_DIR/$1.states" ||
		say "    $1: $(tail -n 1 "$E2E_DIR/$1.states")"
	# The tables need reading once: they are the same each time.
	if [ ! -e "$E2E_DIR/$1.json" ]; then
		judge "$1" 2>/dev/null || :
	fi
	sim_stop
}

# best SM COLUMN: the lowest of all rounds
best() {
	sort -n -k"$2","$2" "$E2E_DIR/$1.runs" | awk -v c="$2" \
		'NR == 1 { print $c }'
}

# floor_of SM
floor_of() {
	json_flat <"$E2E_DIR/$1.json" | awk -F'\t' '
		{ v[$1] = $2 }
		END {
			print v["blocks"] + v["linked_ports"] + v["links"] + \
				2 * v["linked_ports"] + 3 * v["switches"]
		}'
}

row() {
	awk -v name="$1" -v a="$2" -v b="$3" -v how="$4" 'BEGIN {
		printf "    %-24s %12s %12s %11.1fx %s\n", name, a, b, \
			b ? a / b : 0, how }'
}

counts() {
	awk -v sm="$1" '
	BEGIN {
		n["0x10"] = "NodeDescription"; n["0x11"] = "NodeInfo"
		n["0x12"] = "SwitchInfo"; n["0x14"] = "GUIDInfo"
		n["0x15"] = "PortInfo"; n["0x16"] = "P_KeyTable"
		n["0x17"] = "SLtoVL"; n["0x18"] = "VLArb"; n["0x19"] = "LFT"
		n["0x1b"] = "MFT"; n["0x20"] = "SMInfo"
	}
	{
		printf "%s%s %d+%d", NR == 1 ? "    " sm " Gets+Sets: " : ", ", \
			$1 in n ? n[$1] : $1, $2, $3
	}
	END { printf "\n" }' "$E2E_DIR/$1.count"
}

verdict() {
	json_flat <"$E2E_DIR/$1.json" | awk -F'\t' -v sm="$1" '
		{ v[$1] = $2 }
		END {
			printf "    %s: %s of %s pairs unreachable, %s channels"\
				" on a cycle, load %s (mean %s)\n", sm, \
				v["unreachable"], v["pairs"], v["cyclic"], \
				v["load_max"], v["load_mean"]
		}'
}

compare() {
	rm -f "$E2E_DIR"/*.runs "$E2E_DIR"/*.json
	i=0
	while [ $i -lt "$ROUNDS" ]; do
		one_run opensm
		one_run heddled
		i=$((i + 1))
	done
	say "$1: $(json_get "$E2E_DIR/heddled.json" switches) switches," \
		"$(json_get "$E2E_DIR/heddled.json" hosts) host ports," \
		"best of $ROUNDS"
	printf '    %-24s %12s %12s %12s\n' "" opensm heddled ratio
	row "bring-up, seconds" "$(best opensm 1)" "$(best heddled 1)" ""
	row "peak memory, KiB" "$(best opensm 2)" "$(best heddled 2)" ""
	row "SMPs sent" "$(best opensm 3)" "$(best heddled 3)" ""
	for sm in opensm heddled; do
		floor=$(floor_of $sm)
		awk -v sm=$sm -v f="$floor" -v n="$(best $sm 3)" \
			-v d="$(awk '$1 == "0x10" { print $2 }' \
				"$E2E_DIR/$sm.count")" 'BEGIN {
			printf "    %s: floor %d SMPs, sent %.3f times it" \
				" (%.3f without names)\n", sm, f, n / f, \
				(n - d) / f }'
	done
	for sm in opensm heddled; do
		counts $sm
		verdict $sm
	done
	[ "$(json_get "$E2E_DIR/heddled.json" good)" = true ] ||
		fail "heddled's tables are wrong"
}

main() {
	e2e_init
	[ -x /usr/bin/time ] || skip "/usr/bin/time is not installed (time)"
	[ -e "$B/bench/smpcount.so" ] || fail "make $B/bench/smpcount.so first"
	if [ $# = 0 ]; then
		set -- selene tree3456
		[ -z "${BENCH_BIG:-}" ] || set -- "$@" tree11664
	fi
	for f in "$@"; do
		# A fabric that is missing does not skip the others.
		if (fabric "$f" "$E2E_DIR/fabric.net"); then
			SM_ENGINE=updn
			compare "$f"
		elif [ $? != "$E2E_STATUS" ]; then
			exit 1
		fi
	done
}

main "$@"
