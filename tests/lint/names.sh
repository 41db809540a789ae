#!/bin/sh
# Names that tell something, and one file of each: no function is one bare word,
# none has the name of a function of libc, no two sources have one basename (all
# objects share an archive, and a reader looks for files by name).
set -u
cd "$(dirname "$0")/../.." || exit 1

# These stand in front of functions of libc, so they bear their names.
WRAPPERS='^tests/sim/preload/wrap\.c|^tests/bench/smpcount\.c'

tracked() {
	git ls-files --cached --others --exclude-standard '*.c' '*.h' |
		while read -r f; do
			[ -e "$f" ] && echo "$f"
		done
}

libc=$(mktemp)
trap 'rm -f "$libc"' EXIT
for so in libc.so.6 libm.so.6; do
	nm -D --defined-only "$(${CC:-gcc} -print-file-name=$so)" |
		awk '$2 ~ /^[TWi]$/ { sub(/@.*/, "", $3); print $3 }'
done | sort -u >"$libc"

# A definition stands at the start of a line, its type in the line before.
# shellcheck disable=SC2016
bad=$(
	tracked | grep -vE "$WRAPPERS" | xargs awk -v libc="$libc" '
	BEGIN {
		while ((getline name < libc) > 0)
			foreign[name] = 1
	}
	/^[a-z][a-z0-9_]*\(/ {
		name = $0
		sub(/\(.*/, "", name)
		if (name == "main")
			next
		if (name in foreign)
			print FILENAME ":" FNR ": " name " is a function of libc"
		else if (name !~ /_/)
			print FILENAME ":" FNR ": " name " is one bare word"
	}'
	tracked | awk -F / '
	{
		files[$NF] = files[$NF] " " $0
		n[$NF]++
	}
	END {
		for (b in n)
			if (n[b] > 1)
				print b " is the name of" files[b]
	}' | sort
)
if [ -n "$bad" ]; then
	printf '%s\n' "$bad"
	exit 1
fi
