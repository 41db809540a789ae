#!/bin/sh
# usage: memory.sh [FABRIC...]
# The memory of heddled as a daemon on heddle-sim, over a series of events:
# resident after each, and the peak during it, beside the budget: 1.25 times the
# forwarding tables (switches x LIDs, blocks of 64) and 1 KiB per linked port.
# Fails if a value is above it, unless the whole budget is less than a program
# needs that has no tables yet. Default: tree648 and tree3456; BENCH_BIG=1 adds
# tree11664. CABLES=N links are lost in a row (16): kept tables are compared
# with fresh ones after every eighth. EVENTS="cable cables ..." picks some.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

CABLES=${CABLES:-16}
EVENTS=${EVENTS:-cable cables switch root rebalance sweep partitions takeover}
BARE=8192 # KiB
NEXT_PID=
OVER=

# kib FIELD: of the daemon's memory
kib() {
	awk -v f="$1:" '$1 == f { print $2 }' "/proc/$E2E_SM_PID/status"
}

up() {
	gone "$E2E_SM_PID" && fail "heddled ended: $(tail -n 5 "$E2E_DIR/sm.out")"
	[ "$(status_get phase)" = idle ] && [ "$(status_get generation)" -gt 0 ]
}

newer() {
	[ "$(status_get generation)" -gt "$1" ] 2>/dev/null && up
}

# done_since GENERATION: there is a later view, and no other for a while
done_since() {
	until_true 120 newer "$1" || fail "no change seen"
	while :; do
		ds_last=$(status_get generation)
		sleep 1
		until_true 120 up || fail "never idle"
		[ "$(status_get generation)" != "$ds_last" ] || return 0
	done
}

# peers FILE: switches without hosts, "mid" where one with hosts is next to
# them, else "top"
peers() {
	neighbours "$1" | awk '$2 == 0 { mid[$1] += $4 > 0 }
		END { for (id in mid) print mid[id] ? "mid" : "top", id }' |
		sort
}

# budget FILE: tables and budget of that fabric, in KiB
budget() {
	awk '/^Switch/ { sw++; lids++ }
		/^Ca/ { lids++ }
		/^\[/ { ports++ }
		END {
			tables = sw * (int(lids / 64) + 1) * 64 / 1024
			printf "%d %d\n", tables, 1.25 * tables + ports
		}' "$1"
}

# row EVENT: memory now, and the peak since the last row
row() {
	rss=$(kib VmRSS)
	peak=$(kib VmHWM)
	[ "$peak" -le "$BUDGET" ] || [ "$BUDGET" -lt "$BARE" ] ||
		OVER="$OVER $FABRIC:$(echo "$1" | tr ' ' -)"
	printf '%-12s %-16s %9d %9d %9d %9d  %s\n' "$FABRIC" "$1" "$TABLES" \
		"$BUDGET" "$rss" "$peak" "$(echo "$peak $BUDGET" |
			awk '{ printf "%.2f", $1 / $2 }')"
	echo 5 >"/proc/$E2E_SM_PID/clear_refs"
}

# event NAME COMMAND...: run it, and print its row
event() {
	name=$1
	shift
	g=$(status_get generation)
	"$@" >/dev/null || fail "$name: $*"
	done_since "$g"
	row "$name"
}

# links STATE: set the picked links to it, one after the other
links() {
	while read -r a pa _; do
		l_g=$(status_get generation)
		sim link "$a/$pa" "$1"
		until_true 60 newer "$l_g" || return 1
	done <"$E2E_DIR/cables"
}

members() {
	cat >>"$E2E_CONF" <<-EOT
		partitions:
		  some:
		    pkey: 0x5
		    members: {"*1": full, "*2": limited}
	EOT
	kill -HUP "$E2E_SM_PID"
}

stands_by() {
	[ "$(status_get role)" = standby ]
}

# A second heddled is standby, the first one dies; the row is the second's.
takeover() {
	sed "s,$E2E_DIR/,&next.,
		\$a\\
standby: {poll_interval: 200ms}" "$E2E_CONF" >"$E2E_DIR/next.yaml"
	E2E_SOCKET=$E2E_DIR/next.heddle.sock
	first=$E2E_SM_PID
	E2E_SM_HOST=$E2E_TOOL_HOST
	sm_launch "$B/heddled" -c "$E2E_DIR/next.yaml"
	NEXT_PID=$E2E_SM_PID
	until_true 60 stands_by || fail "nobody stands by"
	kill -9 "$first"
	until_true 120 newer 0 || fail "nobody took over"
	sleep 1
	row takeover
}

wanted() {
	case " $EVENTS " in *" $1 "*) return 0 ;; esac
	return 1
}

day() {
	row up
	net_cables "$E2E_DIR/fabric.net" | pick 1 1 >"$E2E_DIR/cables"
	if wanted cable; then
		event "cable lost" links down
		event "cable back" links up
	fi
	net_cables "$E2E_DIR/fabric.net" | pick 2 "$CABLES" >"$E2E_DIR/cables"
	if wanted cables; then
		event "$CABLES cables lost" links down
		event "$CABLES cables back" links up
	fi
	for kind in mid top; do
		id=$(peers "$E2E_DIR/fabric.net" |
			awk -v k=$kind '$1 == k { print $2; exit }')
		what=switch
		[ $kind = mid ] || what=root
		if [ -z "$id" ] || ! wanted $what; then
			continue
		fi
		event "$what lost" sim remove "$id"
		event "$what back" sim return "$id"
	done
	wanted rebalance && event rebalance ctl rebalance
	if wanted sweep; then
		ctl sweep --wait >/dev/null
		row sweep
	fi
	wanted partitions && event partitions members
	wanted takeover && takeover
}

one() {
	FABRIC=$1
	fabric "$1" "$E2E_DIR/fabric.net"
	# shellcheck disable=SC2046
	set -- $(budget "$E2E_DIR/fabric.net")
	TABLES=$1
	BUDGET=$2
	serve "$E2E_DIR/fabric.net"
	SM=heddled
	E2E_CONF_FABRIC='  accept_loss: 1000000' # the partitions take pairs
	E2E_SO=$B/libheddle-umad.so
	sm_start
	until_true 600 up || fail "$FABRIC: not up after 600 s"
	day
	sm_stop
	unserve
	rm -rf "$E2E_DIR"/*state
}

end() {
	stop_pid "$NEXT_PID"
	e2e_cleanup
}

main() {
	e2e_init
	trap end EXIT
	printf '%-12s %-16s %9s %9s %9s %9s  ratio (KiB)\n' fabric event \
		tables budget resident peak
	[ $# != 0 ] || set -- tree648 tree3456 ${BENCH_BIG:+tree11664}
	for f in "$@"; do
		one "$f"
	done
	[ -z "$OVER" ] || fail "above the budget:$OVER"
}

main "$@"
