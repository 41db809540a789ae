#!/bin/sh
# All end-to-end tests, one after the other. The last line says how many passed
# and failed. E2E_ONLY=word runs those whose name holds it; with SM=opensm the
# harness itself is tested on another subnet manager.
set -u
cd "$(dirname "$0")/../.." || exit 1

if [ "${SM:-heddled}" = opensm ]; then
	SM_ENGINE=${SM_ENGINE:-minhop}
	export SM_ENGINE
fi

# Name, and the seconds after which a test is hanging. Not among them are
# daemon.sh handover-demo and sa.sh tree648: on a busy machine opensm is late
# now and then.
TESTS='
bringup demo 60
bringup lab-small 60
bringup lab-selfloop 60
bringup irregular 60
bringup tree648 60
bringup gb200 60
bringup torus888 120
bringup tree3456 180
bringup selene 180
cable demo 90
cable irregular 90
cable selene 240
preload tables 120
preload ports 60
preload probe 60
preload heddled 60
sa demo 120
qos demo 90
sim reread-demo 60
sim reread-lab-selfloop 60
sim reread-selene 90
sim opensm-demo 60
sim opensm-selene 240
sim heddled-tree648 60
sim heddled-gb200 60
sim heddled-selene 240
sim faults-tree648 180
daemon quarantine-demo 90
daemon reboot-demo 90
daemon standby-demo 120
daemon reload-demo 90
daemon distrust-demo 120
daemon told-demo 90
partitions reload-demo 90
partitions import-demo 120
audit opensm 90
audit credit 60
audit lash 60
audit dfsssp 60
audit 2qos 60
audit torus 60
audit sim 60
plan trees 60
plan input 60
plan live 60
plan bad 30
'

passed=0
failed=0
skipped=0
log=$(mktemp)
running=
trap 'rm -f "$log"' EXIT
trap 'kill $running 2>/dev/null; exit 130' INT TERM HUP

run_one() {
	# timeout's own group dies as a whole, what hangs in it included
	timeout -k 10 "$3" "tests/e2e/$1.sh" "$2" >"$log" 2>&1 </dev/null &
	running=$!
	wait "$running"
	rc=$?
	case $rc in
	0)
		verdict=PASS
		passed=$((passed + 1))
		;;
	77)
		verdict=SKIP
		skipped=$((skipped + 1))
		;;
	*)
		verdict=FAIL
		failed=$((failed + 1))
		[ $rc = 124 ] && echo "hangs: ended after $3 s" >>"$log"
		;;
	esac
}

while read -r kind name budget; do
	case "$kind-$name" in
	-) continue ;;
	*"${E2E_ONLY:-}"*) ;;
	*) continue ;;
	esac
	t0=$(date +%s)
	run_one "$kind" "$name" "$budget"
	printf '%s %s %s (%d of %d s)\n' "$verdict" "$kind" "$name" \
		$(($(date +%s) - t0)) "$budget"
	if [ $verdict = FAIL ] || [ -n "${E2E_VERBOSE:-}" ]; then
		sed 's/^/    /' "$log"
	elif [ $verdict = SKIP ]; then
		sed -n 's/^SKIP: /    /p' "$log"
	fi
done <<EOF
$TESTS
EOF

[ $skipped = 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
