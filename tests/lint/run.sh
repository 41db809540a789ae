#!/bin/sh
# usage: run.sh [-q] OBJECT...
# Every habit that a program can hold us to. -q: as in make check, without
# clang's warnings (CLANG_FLAGS) and clang-tidy, which take minutes, and with a
# SKIP where a program that another check needs is not installed. clang-tidy looks at what changed since LINT_BASE
# (default: the commit before this one) and what is not committed yet;
# LINT_ALL=1 looks at everything. It leaves out the unit tests: what libcheck's
# macros unfold to is not ours.
set -u
cd "$(dirname "$0")/../.." || exit 1

passed=0
failed=0
quick=
if [ "${1:-}" = -q ]; then
	quick=yes
	shift
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT

tracked() {
	git ls-files --cached --others --exclude-standard "$@" |
		while read -r f; do
			[ -e "$f" ] && echo "$f"
		done
}

changed() {
	if [ -n "${LINT_ALL:-}" ]; then
		tracked '*.c' | grep -v '^tests/unit/'
		return
	fi
	{
		git diff --name-only "${LINT_BASE:-HEAD~1}" -- '*.c' \
			2>/dev/null
		git ls-files --others --exclude-standard '*.c'
	} | grep -v '^tests/unit/' | sort -u | while read -r f; do
		[ -e "$f" ] && echo "$f"
	done
}

layers() {
	tests/lint/layers.sh
}

size() {
	tests/lint/size.sh
}

symbols() {
	tests/lint/symbols.sh "$@"
}

names() {
	tests/lint/names.sh
}

circles() {
	tests/lint/circles.sh "$@"
}

# The tool also moves words of lines in comments that are too wide to the next
# line, without a blank behind the star.
format() {
	tracked '*.c' '*.h' | xargs clang-format --dry-run -Werror 2>&1 |
		grep -E 'error:' | cut -d: -f1 | sort | uniq -c |
		sed 's/^ *\([0-9]*\) \(.*\)/\2: \1 places to format/' >"$out.f"
	tracked '*.c' '*.h' | xargs grep -nE '^ \*[a-zA-Z(]' |
		sed 's/:[^:]*$/: a line of a comment without a blank/' \
			>>"$out.f"
	cat "$out.f"
	[ ! -s "$out.f" ]
	rc=$?
	rm -f "$out.f"
	return $rc
}

cppcheck_all() {
	tracked '*.c' | grep -v '^tests/unit/' | xargs cppcheck -q -j2 \
		--std=c11 -I. -D_GNU_SOURCE --inline-suppr \
		--enable=warning,style,performance,portability \
		'-Djson_array_foreach(a,i,v)=for (;;)' \
		'-Djson_object_foreach(o,k,v)=for (;;)' \
		--suppressions-list=tests/lint/cppcheck.txt \
		--error-exitcode=1 --template='{file}:{line}: {id}: {message}'
}

clang_warnings() {
	# shellcheck disable=SC2086
	tracked '*.c' | xargs -P2 -n20 clang -fsyntax-only $CLANG_FLAGS
}

tidy() {
	# one file a process: of two it takes the second one's va_lists for
	# uninitialized
	# shellcheck disable=SC2016
	changed | xargs -r -P2 -n1 sh -c 'clang-tidy --quiet "$@" \
		-- -std=c11 -I. -D_GNU_SOURCE 2>/dev/null' sh >"$out.t"
	# A macro of libcheck or libev is not ours to mend.
	grep -E '(warning|error): ' "$out.t" | sort -u >"$out.u"
	cat "$out.u"
	[ ! -s "$out.u" ]
	rc=$?
	rm -f "$out.t" "$out.u"
	return $rc
}

manuals() {
	tracked 'man/*.[0-9]' | xargs -r mandoc -Tlint -Wwarning
}

scripts() {
	tracked '*.sh' .ci/run | xargs shellcheck -x
}

check() {
	t0=$(date +%s)
	name=$1
	shift
	if "$@" >"$out" 2>&1; then
		echo "PASS lint $name ($(($(date +%s) - t0)) s)"
		sed -n 's/^warning: /    warning: /p' "$out"
		passed=$((passed + 1))
	else
		echo "FAIL lint $name ($(($(date +%s) - t0)) s)"
		head -n 60 "$out" | sed 's/^/    /'
		failed=$((failed + 1))
	fi
}

# check_with PROGRAM NAME COMMAND...: where there is that program
check_with() {
	if [ -n "$quick" ] && ! command -v "$1" >/dev/null; then
		echo "SKIP lint $2: $1 is not installed (make lint installs it)"
		return
	fi
	shift
	check "$@"
}

check layers layers
check size size
check names names
check symbols symbols "$@"
check circles circles "$@"
for rule in words texts wire exports calls rooms; do
	check $rule tests/lint/rules.sh $rule
done
check_with clang-format format format
check_with shellcheck scripts scripts
check_with mandoc manuals manuals
check_with cppcheck cppcheck cppcheck_all
[ -n "$quick" ] || check clang clang_warnings
[ -n "$quick" ] || check tidy tidy
echo "$passed passed, $failed failed"
[ $failed = 0 ]
