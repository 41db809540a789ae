#!/bin/sh
# usage: measure.sh [TREE]
# How large and how tangled the product of a tree is: the figures by which two
# versions are compared. Tests do not count, nor do their calls.
set -eu
lint=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$lint/../..}"
index=$(mktemp)
trap 'rm -f "$index"' EXIT
folders="sm discovery routing distribution config"
# shellcheck disable=SC2046,SC2086 # names of files without blanks
set -- $(git ls-files $folders | grep '\.[ch]$')
awk -f "$lint/lex.awk" -f "$lint/index.awk" "$@" pass=2 "$@" >"$index"
awk -f "$lint/lex.awk" -f "$lint/measure.awk" "$index" "$@"
# bodies of functions that are alike but for the names of their variables
awk '
	/^{$/ { body = ""; n = 0; inside = 1; next }
	/^}/ {
		if (inside && n >= 6 && body in seen)
			same++
		seen[body] = 1
		inside = 0
	}
	inside {
		gsub(/[ \t]+/, " ")
		gsub(/[a-z_][a-z_0-9]*/, "&@")
		gsub(/@\(/, "(")
		gsub(/[a-z_][a-z_0-9]*@/, "x")
		body = body "\n" $0
		n++
	}
	END { printf "functions that repeat another one    %4d\n", same }' "$@"
git ls-files man README.md | xargs awk -f "$lint/lex.awk" \
	-f "$lint/words.awk" "$lint/words.txt" /dev/null "$@" |
	awk -F ': ' '
	{ n++; words[$2]++ }
	END {
		printf "words that the glossary replaces    %5d\n", n
		for (w in words)
			printf "    %-12s %5d\n", w, words[w] | "sort -k2nr"
	}'
