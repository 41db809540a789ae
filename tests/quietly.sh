#!/bin/sh
# usage: quietly.sh LOG WHAT COMMAND...
# Runs a command with its output in a log: the terminal gets WHAT, every ten
# seconds a sign of life, and if the command fails what the log says about that.
log=$1
what=$2
shift 2
mkdir -p "$(dirname "$log")"
echo "heddle: $what"
: >"$log"
"$@" >"$log" 2>&1 </dev/null &
pid=$!
trap 'kill $pid 2>/dev/null; exit 130' INT TERM HUP
seconds=0
while kill -0 "$pid" 2>/dev/null; do
	sleep 0.5
	seconds=$((seconds + 1))
	[ $((seconds % 20)) = 0 ] || continue
	printf 'heddle:   %3d s  %s\n' $((seconds / 2)) \
		"$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | cut -c1-60)"
done
wait "$pid"
rc=$?
[ "$rc" = 0 ] && exit 0
grep -Ev '^(CC|LD) ' "$log" | tail -n 40
echo "heddle: failed: $what; all of its output: $log"
exit "$rc"
