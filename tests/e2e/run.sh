#!/bin/sh
# All end-to-end tests, several at a time: most of what they do is to wait, for
# answers or for each other. The last line says how many passed and failed.
# E2E_ONLY=word runs those whose name holds it, JOBS=N that many at once; with
# SM=opensm the harness itself is tested on another subnet manager.
# With --one KIND NAME SECONDS: run that one.
set -u
cd "$(dirname "$0")/../.." || exit 1

if [ "${SM:-heddled}" = opensm ]; then
	SM_ENGINE=${SM_ENGINE:-minhop}
	export SM_ENGINE
fi

# Name, and the seconds after which a test is hanging, also where others have the
# machine. The long ones come first, or one of them would be left to run alone.
# Not among them are daemon.sh handover-demo and sa.sh tree648: on a busy machine
# opensm is late now and then.
TESTS='
cable selene 600
sim opensm-selene 600
sim heddled-selene 600
bringup selene 360
bringup tree3456 360
sim reread-selene 180
qos demo 180
sa demo 240
partitions import-demo 240
daemon distrust-demo 120
bringup torus888 120
audit opensm 90
audit sim 60
preload tables 120
bringup demo 60
bringup lab-small 60
bringup lab-selfloop 60
bringup irregular 60
bringup tree648 60
bringup gb200 60
cable demo 90
cable irregular 90
preload ports 60
preload probe 60
preload heddled 60
sim reread-demo 60
sim reread-lab-selfloop 60
sim opensm-demo 60
sim heddled-tree648 60
sim heddled-gb200 60
sim faults-tree648 180
daemon quarantine-demo 90
daemon reboot-demo 90
daemon standby-demo 120
daemon reload-demo 90
daemon told-demo 90
partitions reload-demo 90
audit credit 60
audit lash 60
audit dfsssp 60
audit 2qos 60
audit torus 60
plan trees 60
plan input 60
plan live 60
plan bad 30
plan homes 30
'

# one KIND NAME SECONDS: into $E2E_OUT/KIND-NAME what is said of it, whole
one() {
	result=$E2E_OUT/$1-$2
	t0=$(date +%s)
	# timeout's own group dies as a whole, what hangs in it included
	timeout -k 10 "$3" "tests/e2e/$1.sh" "$2" >"$result.log" 2>&1 </dev/null &
	running=$!
	trap 'kill $running 2>/dev/null; exit 130' INT TERM HUP
	echo $running >"$result.pid"
	wait "$running"
	rc=$?
	[ -d "$E2E_OUT" ] || exit 1 # all has been told to end
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

# verdict WORD: how many of it
verdicts() {
	cat "$E2E_OUT"/*-* 2>/dev/null | grep -c "^$1 "
}
passed=$(verdicts PASS)
skipped=$(verdicts SKIP)
failed=$(($(grep -c '' "$E2E_OUT/list") - passed - skipped))
[ "$skipped" = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
