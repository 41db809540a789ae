#!/bin/sh
# usage: bringup.sh FABRIC
# A dead fabric comes up: one run brings it up, then the standard tools judge
# its tables; then a daemon on the running fabric, which must find nothing to
# do, and must be found by sminfo. A HyperX is routed by dor. Selene's daemons are
# recorded, and replayed with the same messages.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

TRACKS=${TRACKS:-12}
SEED=${SEED:-1}
# With opensm cycles are allowed: minhop can have them, and updn does not reach
# all.
LENIENT=
[ "$SM" = opensm ] && LENIENT=--allow-cycles

# tool_lid: the LID of the host that the tools run on
tool_lid() {
	on "$E2E_TOOL_HOST" smpquery -D portinfo 0 |
		sed -n 's/^Lid:\.*//p'
}

# Compare ibtracert's paths with the walk through the tables.
compare_tracks() {
	"$B/heddle-ftscheck" --tracks "$TRACKS" --tool "$1" --seed "$SEED" \
		"$E2E_DIR/up.net" "$E2E_DIR/up.fts" >"$E2E_DIR/tracks" ||
		fail "no tracks to compare (seed $SEED)"
	while read -r slid dlid want; do
		got=$(on "$E2E_TOOL_HOST" ibtracert -n "$slid" "$dlid" |
			sed -n 's/^\(\[[0-9]*\]\) -> \({.*\]\)$/\1\2/p' |
			tr '\n' ' ')
		[ "${got% }" = "$want" ] ||
			fail "ibtracert $slid $dlid (seed $SEED): '$got'" \
				"but the tables say '$want'"
	done <"$E2E_DIR/tracks"
	say "tracks: $(wc -l <"$E2E_DIR/tracks") agree with ibtracert"
}

# Ask ports by LID: they must be Active, with that LID and the SM's LID.
# usage: compare_ports SM_LID
compare_ports() {
	awk '{ print $2 }' "$E2E_DIR/tracks" | head -n 4 >"$E2E_DIR/ask"
	while read -r ask; do
		on "$E2E_TOOL_HOST" smpquery portinfo "$ask" \
			>"$E2E_DIR/portinfo" || fail "no PortInfo from LID $ask"
		grep -q "^Lid:\.*$ask\$" "$E2E_DIR/portinfo" ||
			fail "the port at LID $ask has another LID"
		grep -q "^SMLid:\.*$1\$" "$E2E_DIR/portinfo" ||
			fail "the port at LID $ask has another master"
		grep -q '^LinkState:\.*Active$' "$E2E_DIR/portinfo" ||
			fail "the port at LID $ask is not Active"
	done <"$E2E_DIR/ask"
	say "ports: $(wc -l <"$E2E_DIR/ask") asked by LID agree"
}

sm_lid() {
	on "$E2E_SM_HOST" smpquery -D portinfo 0 | sed -n 's/^Lid:\.*//p'
}

is_up() {
	gone "$E2E_SM_PID" && fail "the subnet manager ended"
	if [ "$SM" = opensm ]; then
		grep -q 'SUBNET UP' "$E2E_DIR/sm.log" 2>/dev/null
	else
		[ "$(status_get generation)" -ge 1 ] 2>/dev/null
	fi
}

# A daemon finds the fabric as the first run left it.
second_run() {
	rm -f "$E2E_DIR/sm.log"
	sm_start
	soon is_up || fail "the daemon did not come up"
	on "$E2E_TOOL_HOST" sminfo >"$E2E_DIR/sminfo" 2>&1 ||
		fail "sminfo: $(cat "$E2E_DIR/sminfo")"
	grep -q "sm lid $1 .*SMINFO_MASTER" "$E2E_DIR/sminfo" ||
		fail "sminfo names another: $(cat "$E2E_DIR/sminfo")"
	say "sminfo: $(cut -c1-70 "$E2E_DIR/sminfo")"
	[ "$SM" = opensm ] && return
	rest
	blocks=$(status_get counts.lft_blocks)
	[ "$blocks" = 0 ] ||
		fail "the daemon wrote $blocks blocks that were there"
	engine=$(status_get engine)
	[ "${E2E_ENGINE:-$engine}" = "$engine" ] ||
		fail "$engine routes, not $E2E_ENGINE"
	if [ "$engine" = dor ]; then
		"$B/heddlectl" --socket "$E2E_SOCKET" routes 1 2 \
			>"$E2E_DIR/why" || fail "no path from LID 1 to 2"
		grep -q '^why    engine dor, no order of switches$' \
			"$E2E_DIR/why" || fail "why: $(cat "$E2E_DIR/why")"
	fi
	sets=$(status_get counts.other_sets)
	say "again: $(status_get counts.smps) SMPs, 0 blocks and" \
		"${sets:--} other Sets written"
}

# replay_all: what was recorded is lived again
replay_all() {
	"$B/heddlectl" record save --dir "$E2E_DIR/rec" "$E2E_DIR/bundle" \
		>"$E2E_DIR/saved" || fail "no bundle"
	"$B/heddle-sim" replay "$E2E_DIR/bundle" >"$E2E_DIR/replay" 2>&1 ||
		fail "replay: $(cat "$E2E_DIR/replay")"
	say "replay: $(sed -n 's/^compared *//p' "$E2E_DIR/replay"), all the" \
		"same; $(sed -n 's/.*: \(.* MiB\);.*/\1/p' "$E2E_DIR/saved")"
}

main() {
	e2e_init
	if [ "$1" = hyperx64 ]; then
		E2E_ENGINE=dor
		E2E_CONF_MORE='routing: {engines: [dor]}'
	fi
	[ "$1" != selene ] || E2E_CONF_MORE="record: {dir: $E2E_DIR/rec}"
	fabric "$1" "$E2E_DIR/fabric.net"
	sim_start "$E2E_DIR/fabric.net"
	t0=$(now)
	sm_once || fail "$SM could not bring $1 up"
	say "up: $SM needed $(since "$t0") s"
	states up || fail "not all ports are up"
	judge up $LENIENT || fail "the tables are wrong"
	say "judge: $(json_get "$E2E_DIR/up.json" pairs) pairs reach," \
		"$(json_get "$E2E_DIR/up.json" cyclic) channels on a cycle," \
		"load $(json_get "$E2E_DIR/up.json" load_max)" \
		"(mean $(json_get "$E2E_DIR/up.json" load_mean)), at most" \
		"$(json_get "$E2E_DIR/up.json" max_hops) hops"
	lid=$(sm_lid)
	compare_tracks "$(tool_lid)"
	compare_ports "$lid"
	second_run "$lid"
	[ ! -e "$E2E_DIR/rec" ] || replay_all
	say "PASS"
}

if [ $# -ne 1 ]; then
	echo "usage: bringup.sh FABRIC" >&2
	exit 2
fi
main "$1"
