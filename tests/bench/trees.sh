#!/bin/sh
# usage: trees.sh [SECTION...]
# Routes of trees by ftree beside OpenSM's engines, on ibsim, judged by one
# measure (trees_main.c), in one table: fixtures, populations, degraded. Then
# homes, flows (treeflow_main.c) and speed (route_main.c, verify_main.c). Last
# big, which is only done when it is asked for. What OpenSM made is kept in
# $B/trees, so that the next run only reads it; rm -r it for another round.
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
# Behind each part: where OpenSM's, if they reach everybody, are better.
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

# behind: of a table, the lines of OpenSM's that reach everybody and beat ours in
# saturation or eBB by more than the last digit
behind() {
	awk '$2 == "ftree" { sat[$1] = $8; ebb[$1] = $9 }
	$2 ~ /^osm/ && $3 == 0 && ($8 > sat[$1] + .001 || $9 > ebb[$1] + .001) {
		print "  better than ours: " $0
		n++
	}
	END { if (n == 0) print "  OpenSM is nowhere better in saturation or eBB" }' "$1"
}

fixtures() {
	for f in ufm-sdk-selene-compute topograph-ndr-gb200 ufm-sdk-small \
		ibtopotool-4-sun-dcs36 ibtopotool-3-mixed-selfloop; do
		# shellcheck disable=SC2086
		beside "$f" $ENGINES
	done
	# shellcheck disable=SC2086
	beside topograph-ndr-gb200,bare $ENGINES
	# shellcheck disable=SC2086
	beside ufm-sdk-selene-compute,bare $ENGINES
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
	for p in 6:6 7:5 9:3 11:1; do
		beside "ranger:$p"
	done
	beside ranger:12:12 ftree minhop
	for n in 1 2; do
		# shellcheck disable=SC2086
		beside "thirds:$n:24" $ENGINES
	done
}

# The lines of each number of failed cables, then what they come to.
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
	done >"$E2E_DIR/degraded"
	awk -v keep="$THEIRS" '{
		split($1, part, ",seed=")
		k = part[1] " " $2
		if (!(k in n))
			order[++kinds] = k
		n[k]++
		ebb[k] += $9
		load[k] = load[k] < $6 ? $6 : load[k]
		sat[k] = !(k in low) || $8 < sat[k] ? $8 : sat[k]
		low[k] = !(k in low) || $9 < low[k] ? $9 : low[k]
		lost[k] += $3 > 0
		cyclic[k] += $4 > 0
		if (part[2] > keep)
			next
		if ($2 == "ftree")
			ours[$1] = $9
		else if ($9 > ours[$1])
			worse[part[1] " ftree"]++
	}
	END {
		printf "%-34s %-24s %6s %8s %7s %6s %7s %7s %7s\n", \
			"", "engine", "seeds", "unreach", "cyclic", \
			"load", "sat", "eBB", "lowest"
		for (i = 1; i <= kinds; i++) {
			k = order[i]
			split(k, w, " ")
			printf "%-34s %-24s %6d %8d %7d %6d %7.3f %7.4f %7.4f%s\n", \
				w[1], w[2], n[k], lost[k], cyclic[k], \
				load[k], sat[k], ebb[k] / n[k], low[k], \
				(worse[k] > 0 ? " BELOW THEIRS" : "")
		}
	}' "$E2E_DIR/degraded"
}

homes() {
	for f in 648:18:18,pairs thirds:1:24,pairs thirds:2:24,pairs \
		racks:24:24,pairs two:8:16:24,pairs 648:9:9,rails \
		racks:12:12,rails 3456:6:6,rails; do
		"$B/bench/trees" homes "$f"
	done
}

# flow PAPER ARGUMENTS...: what treeflow measures, and the paper beside it
flow() {
	fl_paper=$1
	shift
	fl_ours=$("$B/bench/treeflow" "$@" 2>/dev/null)
	printf '%-56s paper: %s\n' "$fl_ours" "$fl_paper"
}

# gains FABRIC SPOTS SEEDS PAPER...: of 2, 4, 6, 8 lanes over one
gains() {
	ga_fabric=$1 ga_spots=$2 ga_seeds=$3
	shift 3
	ga_one=
	for lanes in 1 2 4 6 8; do
		"$B/bench/treeflow" hot "$ga_fabric" $lanes "$ga_spots" \
			"$ga_seeds" 2>/dev/null >"$E2E_DIR/flow"
		ga_is=$(awk '{ print $(NF - 1) }' "$E2E_DIR/flow")
		[ $lanes = 1 ] && ga_one=$ga_is && cat "$E2E_DIR/flow" &&
			continue
		printf '%-48s %+6.0f %%   paper: %s\n' \
			"$(cat "$E2E_DIR/flow")" "$(echo "$ga_is $ga_one" |
				awk '{ print 100 * ($1 / $2 - 1) }')" "$1"
		shift
	done
}

# What Papers I and II measured, packets and all. Paper I, BEFT / EFT: read from
# the text and Figures 4 to 9; its switches are input-buffered, as "fifo" ones
# are, but not that simply.
flows() {
	flow "90 / 90" uniform 648:18:18
	flow "90 / 90, less than ours by its switch" uniform 648:18:18 fifo
	flow "95 / 90" uniform 648:9:9
	flow "over 90 / -" uniform 648:11:7
	flow "over 90 / -" uniform 648:13:5
	flow "over 90 / 65" uniform 648:17:1
	flow "90 / over 90" uniform 648:18:1
	flow "90 / 70" uniform 648:5:1
	flow "90 / 65" uniform 648:13:1
	flow "6 points apart at most" uniform racks:12:12
	flow "6 points apart at most" uniform racks:22:1
	flow "6 points apart at most" uniform racks:24:24
	flow "88.5 to 96.2 / -" uniform 3456:12:12
	flow "95.4 / 89.9" uniform 3456:6:6
	flow "88.5 to 96.2 / under 70" uniform 3456:7:1
	flow "88.5 to 96.2 / 64.3" uniform 3456:12:1
	flow "5 points apart" uniform juropa:23:1
	flow "-" uniform juropa:12:12
	# A host whose packets wait for one lane and that goes on with others
	# gains more than the paper's, one that waits gains nothing: the paper's
	# is somewhere between.
	gains 648:18:18 1 8 "+459 %" "+676 %" "+744 %" "+757 %"
	gains 648:18:18 3 8 - - - -
	gains 648:18:18 9 8 - - - "+221 %"
	gains two:9:36:18 1 8 - - - "+503 %"
	gains two:9:36:18 3 8 - - - "+270 %"
	gains two:9:36:18 9 8 - - "+97 %" "+90 %"
	flow "+757 % over one lane" hot 648:18:18 8 1 1 fifo
	flow "+757 % over one lane" hot 648:18:18 8 1 1 in-order
	flow "one lane" hot 648:18:18 1 1 1 in-order
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
	"$B/bench/trees" head
	for section in "$@"; do
		say "$section"
		"$section" | tee "$E2E_DIR/table"
		case $section in
		fixtures | populations | big)
			behind "$E2E_DIR/table"
			;;
		esac
	done
}

main "$@"
