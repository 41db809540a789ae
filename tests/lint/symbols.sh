#!/bin/sh
# usage: symbols.sh OBJECT...
# What foo.c or foo_more.c exports is called foo_something (or fo_, or foos_),
# so that a name says where it lives; in a folder bar it may be bar_foo_something.
# A routing engine is engine_foo.
set -u
bad=0
for o in "$@"; do
	word=$(basename "$o" .o)
	word=${word%%_*}
	folder=$(basename "$(dirname "$o")")
	# data, code, read-only and common symbols that others can see
	wrong=$(nm -g --defined-only "$o" | awk -v w="$word" -v dir="$folder" '
		$2 !~ /^[TDBRC]$/ || $3 == "main" || $3 ~ /^_/ ||
			$3 == "engine_" w ||
			index($3, dir "_" w "_") == 1 || $3 == dir "_" w { next }
		{
			first = $3
			sub(/_.*/, "", first)
			if (index(first, w) != 1 && index(w, first) != 1)
				printf " %s", $3
		}')
	if [ -n "$wrong" ]; then
		echo "$o: not named $word""_...:$wrong"
		bad=1
	fi
done
exit $bad
