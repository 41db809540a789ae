#!/bin/sh
# usage: cable.sh FABRIC
# A link between two switches goes down under a running daemon and comes back.
# Each time the tables must be right again, and the writes are compared with the
# writes that were necessary.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

SEED=${SEED:-1}
# SMPs besides LFT blocks that one change may cost.
OTHER_MAX=${OTHER_MAX:-200}
LENIENT=
[ "$SM" = opensm ] && LENIENT=--allow-cycles

# newer GENERATION: the daemon has committed a later view
newer() {
	gone "$E2E_SM_PID" && fail "the subnet manager ended"
	if [ "$SM" = opensm ]; then
		[ "$(ups)" -gt "$1" ]
	else
		[ "$(status_get generation)" -gt "$1" ] 2>/dev/null
	fi
}

ups() {
	[ -e "$E2E_DIR/sm.log" ] || echo 0
	grep -cs 'SUBNET UP' "$E2E_DIR/sm.log"
}

generation() {
	if [ "$SM" = opensm ]; then
		ups
	else
		status_get generation
	fi
}

# The first light sweep reads again what changed before heddled was master.
has_swept() {
	[ "$(status_get sweeps.light)" -ge 1 ]
}

# others: how many runs so far had causes besides traps. Runs that changed
# nothing, as of ports that are asked again, are logged as debug messages.
others() {
	sed -n 's/.* sm: .*cause="\([^"]*\)".*/\1/p' "$E2E_DIR/sm.out" |
		awk -F'; ' '{
			for (i = 1; i <= NF; i++)
				if ($i !~ /^trap /) {
					n++
					break
				}
		} END { print n + 0 }'
}

# change NAME COMMAND BEFORE: change the link, and judge the result
change() {
	[ "$SM" = opensm ] || soon has_swept || fail "no light sweep"
	[ "$SM" = opensm ] || rest
	g=$(generation)
	[ "$SM" = opensm ] || sent=$(sent_so_far)
	others=$(others)
	t0=$(now)
	sim_cmd "$2"
	soon newer "$g" || fail "$1: no new tables"
	took=$(since "$t0")
	if [ "$SM" != opensm ]; then
		rest # later SMPs of the change count too
		after=$(sent_so_far)
		blocks=$((${after#* } - ${sent#* }))
		smps=$((${after% *} - ${sent% *}))
	fi
	judge "$1" $LENIENT || fail "$1: the tables are wrong"
	states "$1" || fail "$1: not all ports are up"
	differ=$("$B/heddle-ftscheck" --diff "$E2E_DIR/$1.net" \
		"$E2E_DIR/$3.fts" "$E2E_DIR/$1.fts")
	if [ "$SM" = opensm ]; then
		say "$1: $took s, $differ blocks changed"
		return
	fi
	# a block whose entries are in different stages is written in each
	stages=$(status_get change.stages)
	say "$1: $took s, $differ blocks changed, $blocks written in" \
		"$stages stages, $((smps - blocks)) other SMPs"
	most=$((differ * (stages > 1 ? stages : 1)))
	if [ "$blocks" -lt "$differ" ] || [ "$blocks" -gt "$most" ]; then
		fail "$1: $blocks blocks written, $differ had to be"
	fi
	# ibsim keeps hardly a setting, so all ports are asked again 10, 30, 70
	# seconds after the start, and on a busy machine it answers late: that
	# is no cost of the change, which is tried again.
	if [ "$(others)" != "$others" ]; then
		say "$1: there were other reasons to ask, so SMPs do not count"
		return
	fi
	[ $((smps - blocks)) -lt "$OTHER_MAX" ] ||
		fail "$1: $((smps - blocks)) SMPs besides the blocks"
	COUNTED="$COUNTED $1"
}

# have_counted NAME...: the SMPs of each of these changes were counted once
have_counted() {
	for name in "$@"; do
		case " $COUNTED " in
		*" $name "*) ;;
		*) return 1 ;;
		esac
	done
}

main() {
	e2e_init
	fabric "$1" "$E2E_DIR/fabric.net"
	sim_start "$E2E_DIR/fabric.net"
	# shellcheck disable=SC2046
	set -- "$1" $(net_cables "$E2E_DIR/fabric.net" | pick "$SEED" 1)
	[ $# -eq 5 ] || fail "$1 has no cable between switches"
	# No light sweep may disturb the counts.
	E2E_CONF_MORE='sweep:
  interval: 0
log:
  level: debug'
	sm_start
	soon newer 0 || fail "the daemon did not come up"
	judge whole $LENIENT || fail "the tables are wrong from the start"
	say "cable: $2[$3] - $4[$5] (seed $SEED)"
	before=whole
	COUNTED=
	[ "$SM" = opensm ] && COUNTED="pulled restored"
	for _ in 1 2 3 4 5 6; do
		change pulled "Unlink \"$2\"[$3]" "$before"
		change restored "ReLink \"$2\"[$3]" pulled
		have_counted pulled restored && break
		before=restored
	done
	have_counted pulled restored || fail "each loss or each return was disturbed"
	say "PASS"
}

if [ $# -ne 1 ]; then
	echo "usage: cable.sh FABRIC" >&2
	exit 2
fi
main "$1"
