#!/bin/sh
# usage: trees.sh [SECTION...]
# Routes of trees by ftree beside OpenSM's engines, on ibsim, judged by one
# measure (trees_main.c), in one table: fixtures, populations, several (trees
# under the same racks), degraded, homes. Then flows (treeflow_main.c) and speed
# (route_main.c, verify_main.c). Only if they are named: big; and meshes: what
# is no tree, by all engines.
#
#	TREES_SEEDS=16	degraded fabrics of each kind, and of these
#	TREES_THEIRS=16	with OpenSM beside
#	TREES_LIMIT=300	seconds for one bring-up of OpenSM
#	MESHES="random:64:6:4"	fabrics of the section meshes, MESHES_OURS and
#			MESHES_THEIRS the engines
#
# The lines of a fabric: engine asked for, and the one used behind a ">"; pairs
# of (switch, LID) that do not arrive; channels on or behind a cycle with all
# VLs as one (dfsssp uses several, which a table does not show); host pairs on
# the busiest link and on the idlest; static saturation; eBB (*: of the pairs
# that arrive, some hosts do not reach each other); flows on the busiest link of
# the worst shift, and the lower bound of that for any routing; hops. Behind
# each part: the lines where OpenSM's engines, if all is reached, are better.
#
# Tables of OpenSM are kept in $B/trees by their inputs: the fabric, the engine,
# the version of OpenSM. If it made none it is run again the next time.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

ENGINES="ftree updn minhop dfsssp"
OURS="ftree"
SEEDS=${TREES_SEEDS:-16}
THEIRS=${TREES_THEIRS:-16}
LIMIT=${TREES_LIMIT:-300}

# opensm_on ENGINE FILE: its tables of $E2E_DIR/fabric.net as dump_fts prints
# them, and in FILE.used the engine that made them. In a subshell: a failure
# here ends only this, and its simulator.
opensm_on() (
	trap 'stop_pid "$E2E_SIM_PID"
		rm -rf "$E2E_DIR/console" "$E2E_DIR/osm"' EXIT
	trap 'exit 143' INT TERM
	mkdir -p "$E2E_DIR/osm"
	sim_start "$E2E_DIR/fabric.net"
	(cd "$E2E_DIR/osm" && exec env SIM_HOST="$E2E_SM_HOST" \
		LD_PRELOAD="$E2E_SO" OSM_TMP_DIR="$E2E_DIR/osm/" \
		OSM_CACHE_DIR="$E2E_DIR/osm/" timeout -k 5 "$LIMIT" opensm -o \
		-R "$1" -D 0x47 -f "$E2E_DIR/osm/log" 9<&- >out 2>&1)
	oo_rc=$?
	sim_stop
	[ $oo_rc -lt 124 ] || exit $oo_rc
	awk '/tables configured on all switches/ {
		sub(/ tables configured.*/, "")
		sub(/.*: /, "")
		used = $0
	}
	END { print used == "" ? "none" : used }' "$E2E_DIR/osm/log" \
		>"$2.used"
	# "LID port # OWNER" is "LID port : (OWNER)" with dump_fts; the owner of
	# a LID is needed only once
	LC_ALL=C awk '/^Unicast/ {
		print
		next
	}
	/UNREACHABLE/ || !/^0x/ {
		next
	}
	$1 in said {
		print $1, $2, ":"
		next
	}
	{
		said[$1] = 1
		at = index($0, " # ")
		print substr($0, 1, at) ": (" substr($0, at + 3) ")"
	}' "$E2E_DIR/osm/opensm-lfts.dump" 2>/dev/null >"$2.new"
	[ -s "$2.new" ] && gzip -1 <"$2.new" >"$2.part" && mv "$2.part" "$2"
	rm -f "$2.new"
)

# theirs VERB FABRIC ENGINE
theirs() {
	"$B/bench/trees" net "$2" >"$E2E_DIR/fabric.net" || return
	th_sum=$({
		opensm --version
		cat "$E2E_DIR/fabric.net"
	} 2>&1 | sha256sum | cut -c1-16)
	th_file=$OUT/$th_sum.$3
	th_begin=$(now)
	[ -s "$th_file" ] || opensm_on "$3" "$th_file" >"$E2E_DIR/said" 2>&1
	th_rc=$?
	if [ ! -s "$th_file" ]; then
		case $th_rc in
		124 | 137) th_why="no tables in $LIMIT s" ;;
		*) th_why="$(head -n 1 "$E2E_DIR/said" | cut -c 1-40)" ;;
		esac
		printf '%-28s %-17s %s\n' "$2" "osm-$3" \
			"${th_why:-no tables, ended after $(since "$th_begin") s}"
		return
	fi
	th_used=$(cat "$th_file.used")
	th_label=osm-$3
	[ "$th_used" = "$3" ] || th_label="$th_label>$th_used"
	gzip -dc "$th_file" >"$E2E_DIR/tables"
	"$B/bench/trees" "$1" "$2" "$E2E_DIR/tables" "$th_label"
}

# beside FABRIC [ENGINE...]: our lines, then OpenSM's
beside() {
	be=$1
	shift
	for o in $OURS; do
		"$B/bench/trees" ours "$be" "$o" || return
	done
	for e in "$@"; do
		theirs theirs "$be" "$e"
	done
}

# behind: of a table, the lines of OpenSM's engines that reach everything and
# beat ours in saturation or eBB by more than the last digit; minhop, and
# engines that fall back to it, with the channels that wait for each other in a
# cycle
behind() {
	awk '/single point of failure/ { next }
	$2 !~ /^osm|>/ {
		sat[$1] = sat[$1] < $7 ? $7 : sat[$1]
		ebb[$1] = ebb[$1] < $8 ? $8 : ebb[$1]
	}
	$2 ~ /^osm.*>/ { print "  " $1 ": opensm falls back from " \
		substr($2, 5, index($2, ">") - 5) " to " \
		substr($2, index($2, ">") + 1) }
	$2 ~ /^osm/ && $3 == "0" &&
		($7 > sat[$1] + .0011 || $8 > ebb[$1] + .0011) {
		unsafe = $4 > 0 && $2 !~ /(dfsssp|lash|nue|torus-2QoS)$/
		better[++n] = (unsafe ? "better, but can deadlock: " : \
			"better than ours: ") substr($0, 1, 79)
	}
	END {
		for (i = 1; i <= n; i++)
			print "  " better[i]
		if (n == 0)
			print "  OpenSM is nowhere better in saturation or eBB"
	}' "$1"
}

fixtures() {
	for f in ufm-sdk-selene-compute ufm-sdk-selene-compute,bare \
		topograph-ndr-gb200 topograph-ndr-gb200,bare ufm-sdk-small \
		ufm-sdk-small,sharp ibtopotool-4-sun-dcs36 \
		ibtopotool-4-sun-dcs36,sharp ibtopotool-3-mixed-selfloop \
		648:18:18,sharp torus:8x8x8 dragonfly:8:4:4 \
		random:64:6:4; do
		# shellcheck disable=SC2086
		beside "$f" $ENGINES
	done
}

populations() {
	for p in 648:18:18 648:9:9 648:11:7 648:13:5 648:17:1 648:18:1 \
		648:13:1 648:5:1 racks:12:12 racks:12:1 racks:22:1 \
		racks:24:24 thirds:1:24 thirds:2:24 3456:12:12 3456:6:6 \
		3456:7:5 3456:9:3 3456:11:1 3456:7:1 3456:12:1; do
		# shellcheck disable=SC2086
		beside "$p" $ENGINES
	done
}

several() {
	for p in juropa:12:12 juropa:23:1 juropa:24:24 ranger:6:6 ranger:7:5 \
		ranger:9:3 ranger:11:1 ranger:12:12; do
		# shellcheck disable=SC2086
		beside "$p" $ENGINES
	done
}

# The lines of each number of failed cables, then their summary.
degraded() {
	for n in 34 85 130 194 259; do
		s=1
		while [ $s -le "$SEEDS" ]; do
			if [ $s -le "$THEIRS" ]; then
				# shellcheck disable=SC2086
				beside "racks:24:24,fail=$n,seed=$s" $ENGINES
			else
				beside "racks:24:24,fail=$n,seed=$s"
			fi
			s=$((s + 1))
		done
	done >"$E2E_DIR/degraded"
	awk -v keep="$THEIRS" '$3 !~ /^[0-9]+$/ {
		print
		next
	}
	{
		split($1, part, ",seed=")
		k = part[1] " " $2
		if (!(k in n))
			order[++kinds] = k
		n[k]++
		ebb[k] += $8
		high[k] = high[k] < $5 ? $5 : high[k]
		if (n[k] == 1 || $6 < idle[k])
			idle[k] = $6
		if (n[k] == 1 || $7 < sat[k])
			sat[k] = $7
		if (n[k] == 1 || $8 < low[k])
			low[k] = $8
		lost[k] += $3 > 0
		cyclic[k] += $4 > 0
		if (part[2] > keep)
			next
		if ($2 == "ftree")
			ours[$1] = $8
		else if ($8 > ours[$1] && $3 == 0)
			worse[k]++
	}
	END {
		printf "%-20s %-17s %5s %7s %6s %6s %5s %5s %6s %6s %6s\n", \
			"", "engine", "seeds", "unreach", "cyclic", "high", \
			"low", "sat", "eBB", "lowest", "beats"
		for (i = 1; i <= kinds; i++) {
			k = order[i]
			split(k, w, " ")
			printf "%-20s %-17s %5d %7d %6d %6d %5d %5.3f %6.4f %6.4f %6d\n", \
				w[1], w[2], n[k], lost[k], cyclic[k], high[k], \
				idle[k], sat[k], ebb[k] / n[k], low[k], worse[k]
		}
		print "  seeds with unreachable pairs, cyclic channels; beats: " \
			"higher eBB than ours"
	}' "$E2E_DIR/degraded"
}

homes() {
	for f in 648:18:18,pairs thirds:1:24,pairs thirds:2:24,pairs \
		racks:24:24,pairs two:8:16:24,pairs 648:9:9,rails \
		racks:12:12,rails 3456:6:6,rails; do
		"$B/bench/trees" homes "$f"
		for e in $ENGINES; do
			theirs homes "$f" "$e"
		done
	done
}

# flow PAPER ARGUMENTS...: treeflow's measurement, and the paper's beside it
flow() {
	fl_paper=$1
	shift
	fl_ours=$("$B/bench/treeflow" "$@" 2>/dev/null)
	printf '%-56s paper: %s\n' "$fl_ours" "$fl_paper"
}

# gains FABRIC SPOTS SEEDS PAPER...: of 2, 4, 6, 8 layers over one
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

# The measurements of Papers I and II of Bogdanski's thesis, with packets. Paper
# I, BEFT / EFT: read from the text and Figures 4 to 9.
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
	gains 648:18:18 1 8 "+459 %" "+676 %" "+744 %" "+757 %"
	gains 648:18:18 3 8 - - - -
	gains 648:18:18 9 8 - - - "+221 %"
	gains two:9:36:18 1 8 - - - "+503 %"
	gains two:9:36:18 3 8 - - - "+270 %"
	gains two:9:36:18 9 8 - - "+97 %" "+90 %"
	flow "+757 % over one lane" hot 648:18:18 8 1 1 fifo
	flow "+757 % over one lane" hot 648:18:18 8 1 1 in-order
	flow "one lane" hot 648:18:18 1 1 1 in-order
	cat <<-'EOF'
		  Uniform: the paper's switches have buffers at their inputs, as
		  "fifo" ones, that look at the first packet only, but not that
		  simple ones; ours look at all that wait. Hot spots: a host of
		  ours goes on with packets for other lanes while those for one
		  wait, and gains more by lanes than the paper's; one that waits
		  ("in-order") gains nothing. The paper's are between the two.
	EOF
}

speed() {
	"$B/bench/route" "$HEDDLE_FIXTURES" 648:18:18 three:24 \
		three:36 three:48 three:56
	"$B/bench/verify"
}

# What is no tree, intact and with 1, 2 and 5 per cent of its links failed. The
# tables of engines with several layers have cycles as one layer.
meshes() {
	OURS=${MESHES_OURS:-updn dor nue torus dragonfly}
	for f in ${MESHES:-random:64:6:4 random:64:6:4,fail=4 random:256:8:4 \
		dragonfly:8:4:4 dragonfly:8:4:4,fail=21 torus:8x8x8 \
		torus:8x8x8,fail=15 torus:8x8x8,fail=31 torus:8x8x8,fail=77 \
		torus:6x6:2 torus:4x4x4x4 torus:2x2x2x2x2x2x2:2 hyperx:12x8:7 \
		hyperx:12x8:7,fail=12}; do
		# shellcheck disable=SC2086
		beside "$f" ${MESHES_THEIRS:-updn dfsssp lash nue torus-2QoS}
	done
}

big() {
	beside three:36
	beside three:48
}

main() {
	e2e_init
	[ -x "$B/bench/trees" ] || fail "make $B/bench/trees first"
	export HEDDLE_FIXTURES
	OUT=$B/trees
	mkdir -p "$OUT"
	[ $# != 0 ] || set -- fixtures populations several \
		degraded homes flows speed
	"$B/bench/trees" head
	for section in "$@"; do
		say "$section"
		"$section" | tee "$E2E_DIR/table"
		case $section in
		fixtures | populations | several | homes | big | meshes)
			behind "$E2E_DIR/table"
			;;
		esac
	done
}

main "$@"
