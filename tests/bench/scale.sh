#!/bin/sh
# usage: scale.sh [HOSTS...]
# Route time and memory by the size of a fat tree, beside a memset of the
# tables' bytes and beside opensm. Default: 648 3456; BENCH_BIG=1 adds 11664
# and 27648 (opensm takes minutes and much memory there: BENCH_OPENSM=0 leaves
# it out, BENCH_OPENSM=1 runs it for 27648, too).
#
#	fresh, cable	routes by ftree, without and with one failed cable
#	x		fresh against the memset; the budget is 10
#	verify, change	the verifier in full, and after the failed cable
#	KiB		the daemon's peak with two generations alive, and the
#			budget: 1.25 times the tables and 1 KiB a linked port
#	s		bring-up of heddled --once; of opensm -o -R ftree
#
# HEDDLE_THREADS (default 2) is for routes and verifier. The least of several
# runs counts; "-": not measured.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

HEDDLE_THREADS=${HEDDLE_THREADS:-2}
export HEDDLE_THREADS

# memory HOSTS: "peak budget"
memory() {
	BENCH_BIG='' tests/bench/memory.sh "tree$1" 2>/dev/null |
		awk -v f="tree$1" '$1 == f { print $7, $3; found = 1 }
			END { if (!found) print "-", "-" }'
}

# The name of the tree in the benchmarks.
shape() {
	case $1 in
	648) echo 648:18:18 ;;
	3456) echo three:24 ;;
	11664) echo three:36 ;;
	27648) echo three:48 ;;
	43904) echo three:56 ;;
	esac
}

# bring_up SM: "seconds KiB"
bring_up() {
	SM=$1
	SM_ENGINE=ftree
	sim_start "$E2E_DIR/fabric.net"
	rm -rf "$E2E_DIR/state"
	E2E_WRAP="/usr/bin/time -f %e:%M -o $E2E_DIR/time"
	if sm_once; then
		tail -n 1 "$E2E_DIR/time" | tr : ' '
	else
		echo - -
	fi >"$E2E_DIR/$1.up"
	E2E_WRAP=
	sim_stop
}

# feasible HOSTS: opensm can be run for that many
feasible() {
	case ${BENCH_OPENSM:-} in
	0) return 1 ;;
	1) return 0 ;;
	esac
	[ "$1" -lt 20000 ]
}

one() {
	fabric "tree$1" "$E2E_DIR/fabric.net" 2>/dev/null
	bring_up heddled
	echo - - >"$E2E_DIR/opensm.up"
	if feasible "$1"; then
		bring_up opensm
	fi
	{
		"$B/bench/route" --row "$(shape "$1")"
		memory "$1"
		cat "$E2E_DIR/heddled.up" "$E2E_DIR/opensm.up"
	} | awk -v hosts="$1" '
		NR == 1 {
			printf "%6d %8d %9d %7.3f %8.2f %5.1f %7.2f %8.1f" \
				" %7.2f", hosts, $2, $4, $5, $6, \
				$5 ? $6 / $5 : 0, $7, $8, $9
		}
		NR == 2 { printf " %9s %9s", $1, $2 }
		NR == 3 { printf " %7s", $1 }
		NR == 4 { printf " %7s %9s\n", $1, $2 }'
}

main() {
	e2e_init
	[ -x /usr/bin/time ] || skip "/usr/bin/time is not installed (time)"
	[ $# != 0 ] || set -- 648 3456 ${BENCH_BIG:+11664 27648}
	say "route time and memory ($HEDDLE_THREADS threads, milliseconds)"
	printf '%6s %8s %9s %7s %8s %5s %7s %8s %7s %9s %9s %7s %7s %9s\n' \
		hosts switches tables memset fresh x cable verify change \
		daemon budget up opensm opensm
	printf '%6s %8s %9s %7s %8s %5s %7s %8s %7s %9s %9s %7s %7s %9s\n' \
		"" "" KiB ms ms "" ms ms ms KiB KiB s s KiB
	for n in "$@"; do
		one "$n"
	done
}

main "$@"
