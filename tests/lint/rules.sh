#!/bin/sh
# usage: rules.sh words|texts|wire|exports|calls|rooms
# Rules about the product that a compiler does not know, each an awk program of
# this folder with its reasons at its head; except.txt has what may differ.
set -u
cd "$(dirname "$0")/../.." || exit 1
lint=tests/lint
except=$lint/except.txt
index=$(mktemp)
trap 'rm -f "$index"' EXIT

product() {
	git ls-files --cached --others --exclude-standard \
		sm discovery routing distribution config |
		grep '\.[ch]$' | while read -r f; do
		[ ! -e "$f" ] || echo "$f"
	done
}

# shellcheck disable=SC2046 # names of files without blanks
set -- "${1:-}" $(product)
rule=$1
shift
case $rule in
words)
	# shellcheck disable=SC2046
	awk -f $lint/lex.awk -f $lint/words.awk $lint/words.txt $except "$@" \
		$(git ls-files man README.md)
	;;
texts)
	awk -f $lint/lex.awk -f $lint/texts.awk $except "$@"
	;;
wire)
	# shellcheck disable=SC2046
	awk -f $lint/lex.awk -f $lint/wire.awk $except \
		$(printf '%s\n' "$@" | grep -v '^sm/mad/')
	;;
rooms)
	awk -f $lint/rooms.awk "$@" | sort
	;;
exports | calls)
	awk -f $lint/lex.awk -f $lint/index.awk "$@" pass=2 "$@" >"$index"
	awk -f "$lint/$rule.awk" $except "$index" | sort
	;;
*)
	echo "usage: rules.sh words|texts|wire|exports|calls|rooms" >&2
	exit 2
	;;
esac >"$index.out"
cat "$index.out"
[ ! -s "$index.out" ]
rc=$?
rm -f "$index.out"
exit $rc
