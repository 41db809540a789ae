#!/bin/sh
# Everything that must pass, suite by suite with its time: the quick part of
# make lint, unit and property tests, the same under AddressSanitizer and UBSan,
# fuzzers, and end to end on a simulated fabric of another project (ibsim),
# judged by the standard tools. The last line counts the tests. usage: check.sh
# (from make check)
set -u
cd "$(dirname "$0")/.." || exit 1
# libcheck's limit of 4 s is short for a sanitizer on a busy machine.
CK_TIMEOUT_MULTIPLIER=${CK_TIMEOUT_MULTIPLIER:-15}
export CK_TIMEOUT_MULTIPLIER
passed=0
failed=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# suite NAME SECONDS: print its time
budget() {
	printf 'TIME %-28s %4d s\n' "$1" "$2"
	total=$((total + $2))
}
total=0

# signs WHAT N: a sign of life every 30 s, while N test programs run
signs() {
	while sleep 30 >/dev/null 2>&1 && kill -0 $$; do
		echo "heddle:   $1: $(find "$out" -name '*_test.rc' |
			grep -c '') of $2 test programs have ended"
	done
}

# programs DIR: the unit test programs there. The longest begins first, or it
# would be left to run alone.
programs() {
	find "$1" -name sm_chaos_test -type f
	find "$1" -name '*_test' ! -name sm_chaos_test -type f | sort
}

# What is freed is kept for a while, to be watched: little of it, as pages that
# are touched for the first time cost more than the tests; and short stacks.
ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=16:malloc_context_size=8}
export ASAN_OPTIONS

# units DIR: every unit test program there, as many at once as there are cores
units() {
	start=$(date +%s)
	rm -f "$out"/*_test.rc
	n=$(programs "$1" | grep -c '')
	echo "heddle: running the $n test programs of $1"
	signs "$1" "$n" &
	signs=$!
	# shellcheck disable=SC2016
	programs "$1" | OUT=$out xargs -P "$(nproc)" -n 1 sh -c '
		log=$OUT/${1##*/}
		timeout -k 10 900 "$1" >"$log" 2>&1 </dev/null
		echo $? >"$log.rc"' sh
	kill "$signs"
	for t in $(programs "$1"); do
		log=$out/${t##*/}
		rc=$(cat "$log.rc" 2>/dev/null || echo 1)
		line=$(grep -E '^[0-9]+%: Checks: ' "$log" | tail -n 1)
		n=$(echo "$line" | sed -n 's/.*Checks: \([0-9]*\).*/\1/p')
		bad=$(echo "$line" | sed -n \
			's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2/p' |
			awk '{ print $1 + $2 }')
		n=${n:-0}
		bad=${bad:-1}
		[ "$rc" = 0 ] || [ "$bad" -gt 0 ] || bad=1
		[ "$n" -ge "$bad" ] || n=$bad
		passed=$((passed + n - bad))
		failed=$((failed + bad))
		if [ "$bad" -gt 0 ]; then
			echo "FAIL $t ($bad of $n, exit $rc)"
			grep -vE '^heddled: ' "$log" | tail -n 30 |
				sed 's/^/    /'
			{
				echo "FAIL $t ($bad of $n, exit $rc)"
				grep -E ':[FE]:' "$log" | head -n 3 |
					cut -c1-240 | sed 's/^/    /'
			} >>"$out/failing"
		fi
	done
	budget "$1" $(($(date +%s) - start))
}

# Every fuzzer for 5 s, beginning with its corpus, as many at once as there are
# cores; each is one test. What it finds is kept in build/fuzz.
fuzzers() {
	start=$(date +%s)
	if ! why=$(sh tests/fuzz/can_build.sh); then
		echo "SKIP fuzzers: $why"
		return
	fi
	# shellcheck disable=SC2016
	for f in tests/fuzz/*_fuzz.c; do
		basename "$f" _fuzz.c
	done | OUT=$out xargs -P "$(nproc)" -n 1 sh -c '
		mkdir -p "$OUT/new/$1"
		timeout -k 10 120 "build/fuzz/$1" -max_total_time=5 \
			-rss_limit_mb=1024 -artifact_prefix="build/fuzz/$1-" \
			"$OUT/new/$1" "tests/fuzz/corpus/$1" \
			>"$OUT/$1_fuzz" 2>&1 </dev/null
		echo $? >"$OUT/$1_fuzz.rc"' sh
	for f in tests/fuzz/*_fuzz.c; do
		log=$out/$(basename "$f" .c)
		rc=$(cat "$log.rc" 2>/dev/null || echo 1)
		if [ "$rc" = 0 ]; then
			passed=$((passed + 1))
			continue
		fi
		failed=$((failed + 1))
		echo "FAIL $f (exit $rc)" | tee -a "$out/failing"
		tail -n 30 "$log" | sed 's/^/    /'
	done
	budget tests/fuzz $(($(date +%s) - start))
}

# counted NAME COMMAND...: a run that ends with "N passed, N failed"
counted() {
	start=$(date +%s)
	name=$1
	shift
	log=$out/log
	"$@" 2>&1 | tee "$log"
	line=$(tail -n 1 "$log")
	n=$(echo "$line" | sed -n 's/^\([0-9]*\) passed.*/\1/p')
	bad=$(echo "$line" | sed -n 's/.* \([0-9]*\) failed.*/\1/p')
	passed=$((passed + ${n:-0}))
	failed=$((failed + ${bad:-1}))
	budget "$name" $(($(date +%s) - start))
}

# shellcheck disable=SC2046 # names of objects without blanks
counted tests/lint tests/lint/run.sh -q \
	$(find build/obj -name '*.o' -not -path '*/tests/unit/*')
units build/unit
units build/san/unit
fuzzers
counted tests/e2e tests/e2e/run.sh
[ ! -e "$out/failing" ] || cat "$out/failing"
printf 'TIME %-28s %4d s (budget 900 s, builds apart)\n' total "$total"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
