#!/bin/sh
# All end-to-end tests, several at a time: most of the time they wait, for
# answers or for each other. The last line has the numbers of passed and failed
# tests, the lines above it name them: if a log is cut, its end is kept.
# E2E_ONLY=word runs the tests with it in their name, JOBS=N runs N at once;
# with SM=opensm the harness itself is tested on another subnet manager. With
# --one KIND NAME SECONDS: run that one.
set -u
cd "$(dirname "$0")/../.." || exit 1

if [ "${SM:-heddled}" = opensm ]; then
	SM_ENGINE=${SM_ENGINE:-minhop}
	export SM_ENGINE
fi

# Names, and the seconds after which a test is taken to hang, also on a busy
# machine: several times that of a slow one, and one wait in vain (E2E_WAIT).
# The long ones come first, or one of them would be left to run alone. Not among
# them are mastership.sh handover-demo and sa.sh tree648: on a busy machine
# opensm is sometimes late.
TESTS='
cable selene 900
sim opensm-selene 900
sim heddled-selene 900
sets selene 900
bringup selene 600
bringup tree3456 600
sim reread-selene 300
qos demo 300
sa demo 400
sets demo 300
partitions import-demo 400
daemon distrust-demo 240
bringup torus888 240
audit opensm 240
audit cut 240
audit sim 240
preload tables 240
bringup hyperx64 240
bringup demo 240
bringup lab-small 240
bringup lab-selfloop 240
bringup irregular 240
bringup tree648 240
bringup gb200 240
cable demo 240
cable irregular 240
preload ports 240
preload probe 240
preload heddled 240
preload planar 240
preload counters 240
sim reread-demo 240
sim reread-lab-selfloop 240
sim opensm-demo 240
sim heddled-tree648 240
sim heddled-gb200 240
sim heddled-rails 240
sim faults-tree648 300
sim device-demo 240
sim mtu-demo 240
sim keys-demo 240
sim strangers-demo 240
daemon quarantine-demo 240
daemon reboot-demo 240
mastership standby-demo 240
mastership takeover-demo 240
daemon reload-demo 240
daemon told-demo 240
json members 60
examples all 120
tasks installed 120
daemon events-demo 240
daemon drain-demo 240
daemon verify-demo 240
daemon health-demo 240
daemon names-demo 240
daemon record-demo 240
daemon ctl-demo 240
daemon adaptive-demo 240
adaptive restart-demo 240
partitions reload-demo 240
audit tenants 240
audit credit 240
audit lash 240
audit dfsssp 240
audit 2qos 240
audit torus 240
pictures drawn-demo 120
pictures slurm-demo 120
plan verdict 240
plan trees 240
plan input 240
plan live 240
plan bad 240
plan loss 240
plan homes 240
report browser 240
report size-tree512 240
report size-selene 240
report input 240
install setup 60
migration demo 300
install demo 120
install desk 120
install files 120
install shells 120
install alerts 60
deb packages 300
'

# one KIND NAME SECONDS: run it; its report appears as $E2E_OUT/KIND-NAME in one
# piece
one() {
	result=$E2E_OUT/$1-$2
	t0=$(date +%s)
	# timeout ends its whole process group, with anything that hangs in it
	timeout -k 10 "$3" "tests/e2e/$1.sh" "$2" >"$result.log" 2>&1 </dev/null &
	running=$!
	trap 'kill $running 2>/dev/null; exit 130' INT TERM HUP
	echo $running >"$result.pid"
	wait "$running"
	rc=$?
	[ -d "$E2E_OUT" ] || exit 1 # the whole run was ended
	rm -f "$result.pid"
	case $rc in
	0) verdict=PASS ;;
	77) verdict=SKIP ;;
	*) verdict=FAIL ;;
	esac
	[ $rc = 124 ] && echo "hangs: ended after $3 s" >>"$result.log"
	{
		printf '%s %s %s (%d of %d s)\n' "$verdict" "$1" "$2" \
			$(($(date +%s) - t0)) "$3"
		if [ $verdict = FAIL ] || [ -n "${E2E_VERBOSE:-}" ]; then
			sed 's/^/    /' "$result.log"
		elif [ $verdict = SKIP ]; then
			sed -n 's/^SKIP: /    /p' "$result.log"
		fi
	} >"$result"
	rm -f "$result.log"
	flock "$E2E_OUT/lock" cat "$result"
}

if [ "${1:-}" = --one ]; then
	shift
	one "$@"
	exit 0
fi

E2E_OUT=$(mktemp -d)
export E2E_OUT
lanes=
trap 'rm -rf "$E2E_OUT"' EXIT
# shellcheck disable=SC2154
trap 'kill $lanes 2>/dev/null
	for f in "$E2E_OUT"/*.pid; do
		read -r pid <"$f" && kill "$pid"
	done 2>/dev/null
	exit 130' INT TERM HUP

echo "$TESTS" | while read -r kind name seconds; do
	case "$kind-$name" in
	-) ;;
	*"${E2E_ONLY:-}"*) echo "$kind $name $seconds" ;;
	esac
done >"$E2E_OUT/list"
xargs -P "${JOBS:-$(($(nproc) + 1))}" -L 1 tests/e2e/run.sh --one \
	<"$E2E_OUT/list" &
lanes=$!
wait $lanes

# failing N: the failed tests, with N lines of the reason each
failing() {
	while read -r kind name _; do
		result=$E2E_OUT/$kind-$name
		grep -Eqs '^(PASS|SKIP) ' "$result" && continue
		if [ -s "$result" ]; then
			head -n 1 "$result"
		else
			echo "FAIL $kind $name (did not end)"
		fi
		sed -n '/^    FAIL: /,$p' "$result" 2>/dev/null |
			cut -c1-200 | head -n "$1"
	done <"$E2E_OUT/list"
}

# verdict WORD: the number of tests with it
verdicts() {
	cat "$E2E_OUT"/*-* 2>/dev/null | grep -c "^$1 "
}
passed=$(verdicts PASS)
skipped=$(verdicts SKIP)
failed=$(($(grep -c '' "$E2E_OUT/list") - passed - skipped))
[ "$skipped" = 0 ] || echo "$skipped skipped"
if [ "$failed" -gt 0 ]; then
	echo "What failed:"
	failing $((24 / failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
