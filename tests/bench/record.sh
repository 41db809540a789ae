#!/bin/sh
# usage: record.sh [FABRIC...] (default selene)
# What recording costs: heddled --once brings a fabric of heddle-sim up, with and
# without record.dir, PAIRS times (10) in turn. A line for each fabric: CPU
# seconds (user and system) of both on average, the mean of their ratios in
# pairs with its standard error, and the size of a recording. Where valgrind is
# there, also the instructions of both, without the kernel's, and their ratio.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

PAIRS=${PAIRS:-10}

# bring_up on|off COMMAND...: heddled on a new fabric, under that command; its
# messages are in $E2E_DIR/log
bring_up() {
	E2E_CONF_MORE=
	[ "$1" = off ] || E2E_CONF_MORE="record: {dir: $E2E_DIR/rec}"
	shift
	rm -rf "$E2E_DIR/rec" "$E2E_DIR/state"
	serve "$E2E_DIR/fabric.net"
	sm_config
	on "$E2E_SM_HOST" "$@" "$B/heddled" -c "$E2E_CONF" --once \
		>"$E2E_DIR/log" 2>&1 ||
		fail "heddled: $(tail -n 5 "$E2E_DIR/log")"
	unserve
}

# seconds on|off: CPU seconds of one
seconds() {
	# shellcheck disable=SC2016
	bring_up "$1" bash -c 'TIMEFORMAT="cpu %3U %3S"; time "$@"' bash
	awk '$1 == "cpu" { print $2 + $3 }' "$E2E_DIR/log"
}

# instructions on|off: of one
instructions() {
	bring_up "$1" valgrind --tool=callgrind \
		--callgrind-out-file=/dev/null
	sed -n 's/^.* Collected : //p' "$E2E_DIR/log"
}

# pair I: CPU seconds without and with a recording, one first or the other
pair() {
	if [ $(($1 % 2)) = 0 ]; then
		off=$(seconds off) && with=$(seconds on)
	else
		with=$(seconds on) && off=$(seconds off)
	fi || exit 1
	echo "$off $with"
}

measure() {
	fabric "$1" "$E2E_DIR/fabric.net"
	i=0
	while [ "$i" -lt "$PAIRS" ]; do
		pair "$i" || exit 1
		i=$((i + 1))
	done >"$E2E_DIR/pairs" || exit 1
	awk -v fabric="$1" '{ r = $2 / $1; off += $1; on += $2; s += r; q += r * r }
		END {
			printf "%-10s %d pairs: CPU %.3f s without, %.3f s with" \
				" a recording, ratio %.4f +- %.4f\n", fabric, NR,
				off / NR, on / NR, s / NR,
				sqrt((q - s * s / NR) / (NR - 1) / NR)
		}' "$E2E_DIR/pairs"
	command -v valgrind >/dev/null || return 0
	off=$(instructions off) && with=$(instructions on) || exit 1
	echo "$off $with $(cat "$E2E_DIR"/rec/* | wc -c)" |
		awk -v fabric="$1" '{
			printf "%-10s instructions: %.1f M without, %.1f M with a" \
				" recording of %d bytes, ratio %.4f\n", fabric,
				$1 / 1e6, $2 / 1e6, $3, $2 / $1 }'
}

main() {
	E2E_NEEDS=bash e2e_init
	E2E_SO=$B/libheddle-umad.so
	E2E_TIMEOUT=900ms # valgrind is slow
	[ $# -gt 0 ] || set -- selene
	for f in "$@"; do
		measure "$f"
	done
}

main "$@"
