#!/bin/sh
# usage: symbols.sh OBJECT...
# What foo.c or foo_more.c exports is called foo_something (or fo_, or foos_),
# so that a name says where it lives. A routing engine is engine_foo.
set -u
bad=0
for o in "$@"; do
	word=$(basename "$o" .o)
	word=${word%%_*}
	# data, code, read-only and common symbols that others can see
	wrong=$(nm -g --defined-only "$o" | awk -v w="$word" '
		$2 !~ /^[TDBRC]$/ || $3 == "main" || $3 ~ /^_/ ||
			$3 == "engine_" w { next }
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
