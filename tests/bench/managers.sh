#!/bin/sh
# usage: managers.sh [FABRIC...] (default tree648 selene)
# Two daemons with default settings on one fabric of heddle-sim: a is master, b
# stands by, and something happens to a:
#
#	kill		kill -9
#	stop		SIGSTOP; SIGCONT when b is master
#	term		SIGTERM
#	handover	b is another one, of higher priority, that starts now
#	forged		a third host hands the fabric over to b in a's name
#	stale		kill -9, and b has the state file of an earlier reign
#
# A line each: seconds from then on without an answer of subnet administration,
# seconds until the new master has come to rest, ports with another LID, LFT
# blocks written, and those of them that changed something, registrations
# (groups, members, services, subscriptions) that the new master has of those
# before, and the masters in the end. Nothing is judged. CASES="kill stop" picks
# some, LIMIT=60 is the longest wait in seconds.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

CASES=${CASES:-kill stop term handover forged stale}
LIMIT=${LIMIT:-60}

# daemon NAME HOST PRIORITY [more options]: start it, its process id in NAME/pid
daemon() {
	d_dir=$E2E_DIR/$1
	mkdir -p "$d_dir"
	rm -f "$d_dir/pid"
	{
		cat <<-EOT
			state: {dir: $d_dir/state}
			control: {socket: $d_dir/sock}
			sa: {trust_key: 0x1}
			fabric:
			  priority: $3
		EOT
		echo "${4:-}"
	} >"$d_dir/yaml"
	# shellcheck disable=SC2016
	"$B/heddle-sim" run --preload heddle --host "$2" "$IBSIM_SOCKNAME" -- \
		/bin/sh -c 'echo $$ >"$0/pid"; exec "$@"' "$d_dir" \
		"$B/heddled" -c "$d_dir/yaml" >>"$d_dir/log" 2>&1 </dev/null &
	soon test -s "$d_dir/pid" || fail "$1 did not start"
}

# halt NAME
halt() {
	[ -s "$E2E_DIR/$1/pid" ] || return 0
	h_pid=$(cat "$E2E_DIR/$1/pid")
	rm -f "$E2E_DIR/$1/pid"
	kill -CONT "$h_pid" 2>/dev/null
	stop_pid "$h_pid"
}

end_all() {
	[ -z "${POLL_PID:-}" ] || kill "$POLL_PID" 2>/dev/null
	halt a
	halt b
	e2e_cleanup
}

# is NAME KEY VALUE: its status has that value
is() {
	"$B/heddlectl" --socket "$E2E_DIR/$1/sock" --json status \
		>"$E2E_DIR/$1/status" 2>/dev/null
	IS=$(json_get "$E2E_DIR/$1/status" "$2")
	[ "$IS" = "$3" ]
}

rests() {
	is "$1" role master && resting "$E2E_DIR/$1/status"
}

# poll: the time of each answer of subnet administration, without end
poll() {
	trap - EXIT HUP INT TERM
	while :; do
		on "$CLIENT" saquery -t 200 CPI >/dev/null 2>&1 && now
	done
}

# registered: how many groups, members, services and subscriptions there are
registered() {
	for r_what in "MCMR" "-m" "SR" "IIR"; do
		on "$CLIENT" saquery -t 5000 --smkey 1 "$r_what" 2>/dev/null |
			grep -c 'dump'
	done | awk '{ n += $1 } END { print n + 0 }'
}

register() {
	for r_what in ipoib register; do
		on "$CLIENT" "$B/heddle-saclient" $r_what "$PEER" \
			>/dev/null 2>&1
	done
	on "$CLIENT" "$B/heddle-saclient" listen 100 >"$E2E_DIR/listen" 2>&1 &
	soon grep -q listening "$E2E_DIR/listen" || fail "no subscription"
}

# written: of the trace: LIDs moved, blocks, blocks that changed something
written() {
	awk '
	$1 == "node" { sw[$2] = $3 == "switch" }
	$1 != "set" || $8 != "0" { next }
	$5 == "19" { blocks++; changed += $9 != $10 }
	$5 == "15" {
		port = substr("0000000" $6, length($6) + 6, 2)
		if (sw[$3] && port != "00")
			next
		was = substr($9, 33, 4)
		is = substr($10, 33, 4)
		key = $3 "/" (port == "00" ? $4 : port)
		if (!(key in first))
			first[key] = was
		last[key] = is
	}
	END {
		for (k in last)
			moved += first[k] != "0000" && last[k] != first[k]
		printf "%d %d %d\n", moved, blocks, changed
	}' "$E2E_DIR/trace"
}

# gap T0: the longest time without an answer since then
gap() {
	awk -v t="$1" '$1 >= t { if ($1 - t > most) most = $1 - t; t = $1 }
		END { printf "%.2f", most }' "$E2E_DIR/answers"
}

# stale_state: b was master of this fabric once, with other LIDs
stale_state() {
	serve "$NET" >/dev/null
	daemon b "$OTHER" 3 "  lids: {first: 2001}"
	until_true 300 rests b || fail "b: no earlier reign"
	halt b
	unserve
}

# forge: another host tells b, in a's name, to take over; false: it cannot
forge() {
	f_lid=$(sim show "$OTHER" |
		sed -n 's/^port .*: Active, lid \([0-9]*\) .*/\1/p' | head -n 1)
	is b master.guid - # IS: the GUID
	on "$CLIENT" "$B/heddle-umadprobe" handover "$f_lid" "$IS" 1 \
		>"$E2E_DIR/forged" 2>&1
}

# happen CASE: sets NEW, the one that shall be master then
happen() {
	NEW=b
	pid=$(cat "$E2E_DIR/a/pid")
	case $1 in
	kill | stale) kill -9 "$pid" ;;
	stop) kill -STOP "$pid" ;;
	term) kill "$pid" ;;
	handover) daemon b "$OTHER" 10 ;;
	forged)
		NEW=a
		forge || say "    forged: not sent: $(head -n 1 "$E2E_DIR/forged")"
		sleep 3
		;;
	esac
}

# measure CASE
measure() {
	rm -rf "$E2E_DIR/a" "$E2E_DIR/b"
	[ "$1" != stale ] || stale_state
	serve "$NET" >/dev/null
	daemon a "$E2E_SM_HOST" 5
	until_true 300 rests a || fail "a: not master"
	if [ "$1" != handover ]; then
		daemon b "$OTHER" 3
		until_true 300 is b role standby || fail "b: not standby"
		until_true 60 is b standby.unread 0 || fail "b: knows nothing"
	fi
	register
	m_before=$(registered)
	: >"$E2E_DIR/answers"
	poll >>"$E2E_DIR/answers" 2>/dev/null &
	POLL_PID=$!
	# b has polled the master a few times
	sleep 3
	sim trace "$E2E_DIR/trace" || fail "no trace"
	m_t0=$(now)
	happen "$1"
	until_true "$LIMIT" rests $NEW && m_rest=$(since "$m_t0") || m_rest=never
	[ "$1" != stop ] || kill -CONT "$pid"
	sleep 2
	sim trace off || fail "the trace is not complete"
	kill "$POLL_PID"
	wait "$POLL_PID" 2>/dev/null
	POLL_PID=
	m_masters=
	for m in a b; do
		is $m role master && m_masters="$m_masters $m"
	done
	written >"$E2E_DIR/written"
	read -r m_moved m_blocks m_changed <"$E2E_DIR/written"
	printf '    %-9s %9s %9s %6d %7d %8d %7s/%s %s\n' "$1" \
		"$(gap "$m_t0")" "$m_rest" "$m_moved" "$m_blocks" "$m_changed" \
		"$(registered)" "$m_before" "$m_masters"
	halt a
	halt b
	unserve
}

e2e_init
trap end_all EXIT
E2E_SO=$B/libheddle-umad.so
POLL_PID=
[ $# -gt 0 ] || set -- tree648 selene
for fab; do
	NET=$E2E_DIR/$fab.net
	(fabric "$fab" "$NET") || continue
	net_hosts "$NET" >"$E2E_DIR/all"
	OTHER=$(tail -n 1 "$E2E_DIR/all")
	CLIENT=$(sed -n '$!{h;d;};x;p' "$E2E_DIR/all")
	PEER=$(awk -F'"' '/^(Ca|Hca)/ { print $4; exit }' "$NET")
	say "$fab"
	printf '    %-9s %9s %9s %6s %7s %8s %9s %s\n' event "no SA, s" \
		"rest, s" moved blocks changed registered masters
	for c in $CASES; do
		measure "$c"
	done
done
