#!/bin/sh
# usage: trees.sh [SECTION...]
# Routes of trees by ftree beside OpenSM's engines, on ibsim, judged by one
# measure (trees_main.c). Sections: fixtures, populations, degraded, homes, flows
# (treeflow_main.c), speed (route_main.c, verify_main.c), big; default: all but
# big. What OpenSM made is kept in $B/trees, so that the next
# run only reads it; rm -r it for another round.
#
#	TREES_SEEDS=16	degraded fabrics of each kind, and of these
#	TREES_THEIRS=2	with OpenSM beside
#	TREES_LIMIT=240	seconds for one bring-up of OpenSM
#
# The lines of a fabric: engine asked for, and "->" what was really used; pairs
# of (switch, LID) that do not arrive; channels on or behind a cycle when all is
# on one lane (dfsssp and lash use several, which a table does not show); lanes;
# the load of the busiest cable and the mean one; static saturation; eBB; flows
# on the busiest cable of the worst shift and mean bandwidth over shifts; hops.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

ENGINES="ftree updn minhop dfsssp"
SEEDS=${TREES_SEEDS:-16}
THEIRS=${TREES_THEIRS:-2}
LIMIT=${TREES_LIMIT:-240}

# opensm_on FABRIC ENGINE FILE: its tables as dump_fts prints them, and in
# FILE.used the engine that made them
opensm_on() {
	"$B/bench/trees" net "$1" >"$E2E_DIR/fabric.net" || return 1
	sim_start "$E2E_DIR/fabric.net"
	mkdir -p "$E2E_DIR/osm"
	oo_begin=$(now)
	(cd "$E2E_DIR/osm" && exec env SIM_HOST="$E2E_SM_HOST" \
		LD_PRELOAD="$E2E_SO" OSM_TMP_DIR="$E2E_DIR/osm/" \
		OSM_CACHE_DIR="$E2E_DIR/osm/" timeout "$LIMIT" opensm -o \
		-R "$2" -D 0x47 -f "$E2E_DIR/osm/log" 9<&- >out 2>&1)
	sim_stop
	awk '/tables configured on all switches/ {
		sub(/ tables configured.*/, "")
		sub(/.*: /, "")
		used = $0
	}
	END { print used == "" ? "none" : used }' "$E2E_DIR/osm/log" \
		>"$3.used"
	since "$oo_begin" >"$3.seconds"
	# "LID port # WHAT" is "LID port : (WHAT)" with dump_fts
	sed -n -e '/^Unicast/p' -e '/UNREACHABLE/d' \
		-e 's/^\(0x[0-9a-f]* [0-9]*\) # \(.*\)$/\1 : (\2)/p' \
		"$E2E_DIR/osm/opensm-lfts.dump" 2>/dev/null | gzip -1 >"$3"
	rm -rf "$E2E_DIR/osm"
}

# theirs FABRIC ENGINE
theirs() {
	th_file=$OUT/$(echo "$1.$2" | tr '/' '_')
	[ -s "$th_file.seconds" ] || opensm_on "$1" "$2" "$th_file" || return
	th_used=$(cat "$th_file.used")
	[ "$th_used" = "$2" ] && th_label=osm-$2 ||
		th_label="osm-$2->$th_used"
	gzip -dc "$th_file" >"$E2E_DIR/tables"
	if [ -s "$E2E_DIR/tables" ]; then
		"$B/bench/trees" theirs "$1" "$E2E_DIR/tables" "$th_label"
	else
		printf '%-34s %-16s no tables after %s s\n' "$1" "$th_label" \
			"$(cat "$th_file.seconds")"
	fi
}

# beside FABRIC [ENGINE...]: our line, then theirs
beside() {
	be=$1
	shift
	"$B/bench/trees" ours "$be" ftree || return
	for e in "$@"; do
		theirs "$be" "$e"
	done
}

fixtures() {
	for f in ufm-sdk-selene-compute topograph-ndr-gb200 ufm-sdk-small \
		ibtopotool-4-sun-dcs36 ibtopotool-3-mixed-selfloop; do
		# shellcheck disable=SC2086
		beside "$f" $ENGINES
	done
	# shellcheck disable=SC2086
	beside topograph-ndr-gb200,bare $ENGINES
	beside ufm-sdk-selene-compute,bare
	# ibsim does not read these with nodes added to them
	beside ufm-sdk-small,sharp
	beside ibtopotool-4-sun-dcs36,sharp
	for f in 648:18:18,sharp torus dfly irr64; do
		# shellcheck disable=SC2086
		beside "$f" $ENGINES
	done
}

populations() {
	for p in 18:18 9:9 11:7 13:5 17:1 18:1 13:1 5:1; do
		# shellcheck disable=SC2086
		beside "648:$p" $ENGINES
	done
	for p in 12:12 12:1 22:1 24:24; do
		# shellcheck disable=SC2086
		beside "racks:$p" $ENGINES
	done
	for p in 12:12 6:6 7:5 9:3 11:1 7:1 12:1; do
		beside "3456:$p" ftree updn minhop
	done
	for p in 12:12 23:1 24:24; do
		beside "juropa:$p" ftree updn minhop
	done
	for p in 6:6 7:5 9:3 11:1 12:12; do
		beside "ranger:$p"
	done
}

degraded() {
	for n in 34 85 130 194 259; do
		s=1
		while [ $s -le "$SEEDS" ]; do
			if [ $s -le "$THEIRS" ]; then
				beside "racks:24:24,fail=$n,seed=$s" updn dfsssp
			else
				beside "racks:24:24,fail=$n,seed=$s"
			fi
			s=$((s + 1))
		done
	done
}

homes() {
	for f in 648:18:18,pairs racks:24:24,pairs two:8:16:24,pairs \
		648:9:9,rails racks:12:12,rails 3456:6:6,rails; do
		"$B/bench/trees" homes "$f"
	done
}

# What Papers I and II measured, packets and all.
flows() {
	for f in 648:18:18 648:9:9 648:11:7 648:13:5 648:17:1 648:18:1 \
		648:5:1 racks:12:12 racks:22:1 racks:24:24 3456:12:12 \
		3456:6:6 3456:7:1 3456:12:1; do
		"$B/bench/treeflow" uniform $f 2>/dev/null
	done
	for f in 648:18:18 two:9:36:18; do
		for spots in 1 3 9; do
			for lanes in 1 2 4 6 8; do
				"$B/bench/treeflow" hot $f $lanes $spots 3 \
					2>/dev/null
			done
		done
	done
}

speed() {
	"$B/bench/route" "$HEDDLE_FIXTURES" ft648 ft3456 ft11664 ft27648 \
		ft43904
	"$B/bench/verify" 24 36 56
}

big() {
	beside three:36
	beside three:48
	beside ranger:12:12 ftree updn
}

main() {
	e2e_init
	[ -x "$B/bench/trees" ] || fail "make $B/bench/trees first"
	export HEDDLE_FIXTURES
	OUT=$B/trees
	mkdir -p "$OUT"
	[ $# != 0 ] || set -- fixtures populations degraded homes flows speed
	for section in "$@"; do
		say "$section"
		case $section in
		flows | speed) ;;
		*) "$B/bench/trees" head ;;
		esac
		"$section"
	done
}

main "$@"
