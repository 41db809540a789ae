#!/bin/sh
# usage: sets.sh FABRIC
# Every Set of heddled beside every Set of opensm on the same fabric, through
# libheddle-umad.so on heddle-sim, field by field (heddle-setdiff). Differences
# that are permitted, and why, are in sets.expect. On the demo fabric:
#	dead	after power-on
#	half-o	opensm brought it up, half of the switches started anew since
#	half-h	the same with heddled
#	keyed	an M_Key in both configurations
#	qos	levels and partitions, by heddlectl's import of opensm's files
#	dual	hosts with two ports, enhanced switch ports 0
# On others: dead. SETS_ONLY="dead qos" picks some; SETS_KEEP=DIR keeps traces.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

RULES=tests/e2e/sets.expect

# configure MANAGER KIND: write its configuration
configure() {
	{
		echo 'force_log_flush TRUE'
		case $2 in
		keyed)
			cat <<-'EOT'
				m_key 0x0000000000001234
				m_key_protection_level 1
				m_key_lease_period 60
			EOT
			;;
		qos)
			cat <<-'EOT'
				qos TRUE
				qos_high_limit 4
				qos_vlarb_high 2:32
				qos_vlarb_low 0:64,1:128
				qos_sl2vl 0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,0
			EOT
			;;
		esac
	} >"$E2E_DIR/opensm.conf"
	parts=
	rm -f "$E2E_DIR/partitions.conf"
	if [ "$2" = qos ]; then
		parts=$E2E_DIR/partitions.conf
		cat >"$parts" <<-'EOT'
			Default=0x7fff : ALL=limited, ALL_SWITCHES=full, SELF=full ;
			blue=0x5 : 0x0002c90300000d01=full, 0x0002c90300000e01=full ;
			green=0x6 : 0x0002c90300000e01=limited, 0x0002c90300000f01=full ;
		EOT
	fi
	[ "$1" = heddled ] || return 0
	# shellcheck disable=SC2086
	# 1: not all of it can be carried over, and it says what
	E2E_CONF_MORE=$("$B/heddlectl" import "$E2E_DIR/opensm.conf" $parts \
		2>"$E2E_DIR/lost")
	[ $? -le 1 ] || fail "no import: $(cat "$E2E_DIR/lost")"
	E2E_SOCKET=$E2E_DIR/heddle.sock
	E2E_CONF=$E2E_DIR/heddle.yaml
	{
		cat <<-EOT
			state: {dir: $E2E_DIR/state}
			control: {socket: $E2E_SOCKET}
		EOT
		printf '%s\n' "$E2E_CONF_MORE" | sed '/^{}$/d'
	} >"$E2E_CONF"
	# heddled refuses keys that every user can read
	chmod o= "$E2E_CONF"
}

# manager NAME: run it as a daemon until the fabric is up, and through one more
# sweep: what opensm writes in a first sweep is not its last word (it maps SLs by
# the VLs that it read before, and sets no MulticastFDBTop)
manager() {
	rm -rf "$E2E_DIR/state"
	if [ "$1" = opensm ]; then
		set -- opensm -F "$E2E_DIR/opensm.conf" ${parts:+-P "$parts"} \
			-R "$SM_ENGINE" -f "$E2E_DIR/sm.log"
		rm -f "$E2E_DIR/sm.log"
		sm_launch "$@"
		soon swept 1 || fail "opensm: not up"
		kill -HUP "$E2E_SM_PID"
		soon swept 2 || fail "opensm: no second sweep"
		soon is_silent || fail "opensm does not come to rest"
		return
	fi
	sm_launch "$B/heddled" -c "$E2E_CONF"
	rest
	ctl sweep >/dev/null || fail "heddled: no second sweep"
	rest
	sleep 1 # hosts are asked to register; it goes on reading SL2VL rows
}

# swept N: opensm has been through that many sweeps
swept() {
	gone "$E2E_SM_PID" && fail "opensm ended"
	[ "$(grep -s 'SUBNET UP' "$E2E_DIR/sm.log" | grep -c '')" -ge "$1" ]
}

# is_silent: no request for half a second
is_silent() {
	sim stats >"$E2E_DIR/stats.1"
	sleep 0.5
	sim stats >"$E2E_DIR/stats.2"
	cmp -s "$E2E_DIR/stats.1" "$E2E_DIR/stats.2"
}

# switches: the names of every other switch
switches() {
	awk -F'"' '$1 ~ /^Switch/ && n++ % 2 { print $2 }' "$1"
}

# half_down: half of the switches start anew
half_down() {
	switches "$NET" | while read -r node; do
		sim reboot "$node" </dev/null || fail "reboot"
	done
}

# run MANAGER KIND TRACE [BEFORE]: its Sets on a fabric that is dead, or that
# the manager BEFORE brought up and that has lost a half since
run() {
	serve "$NET"
	if [ $# = 4 ]; then
		configure "$4" "$2"
		manager "$4"
		sm_stop
		half_down
	fi
	configure "$1" "$2"
	sim trace "$3" || fail "no trace"
	manager "$1"
	sim trace off || fail "the trace is not complete"
	sim judge >"$E2E_DIR/judge" 2>&1 ||
		say "after $1: $(cat "$E2E_DIR/judge")"
	sm_stop
	unserve
}

# both KIND [BEFORE]: both managers, and what differs
both() {
	case " ${SETS_ONLY:-$1} " in *" $1 "*) ;; *) return ;; esac
	t0=$(now)
	for who in heddled opensm; do
		run $who "$1" "$E2E_DIR/$1.$who" ${2:+"$2"}
	done
	"$B/heddle-setdiff" "$SM_NODE" "$E2E_DIR/$1.heddled" \
		"$E2E_DIR/$1.opensm" >"$E2E_DIR/diff" || fail "$1: no comparison"
	awk -v kind="$1" -v rules=$RULES -v used="$E2E_DIR/used" \
		-f tests/e2e/sets.awk "$E2E_DIR/diff" || BAD="$BAD $1"
	say "$1: $(since "$t0") s"
	[ -z "${SETS_KEEP:-}" ] || cp "$E2E_DIR/$1.heddled" \
		"$E2E_DIR/$1.opensm" "$SETS_KEEP"
}

# no_idle_rules: every rule for these kinds is needed
no_idle_rules() {
	grep -vE '^#|^$' $RULES | awk -v used="$E2E_DIR/used" -v fabric="$1" '
	BEGIN { while ((getline n < used) > 0) need[n] = 1 }
	!(NR in need) && /^[a-z]+ \^selene/ == (fabric == "selene") {
		print; bad = 1
	}
	END { exit(bad) }' || fail "nothing differs like that any more"
}

e2e_init
E2E_SO=$B/libheddle-umad.so
SM_ENGINE=minhop
BAD=
FABRIC=${1:-demo}
NET=$E2E_DIR/fabric.net
: >"$E2E_DIR/used"
fabric "$FABRIC" "$NET"
SM_NODE=$(awk -F'"' '/^(Ca|Hca)/ { print $4; exit }' "$NET")
if [ "$FABRIC" = demo ]; then
	both dead
	both half-o opensm
	both half-h heddled
	both keyed
	both qos
	NET=$E2E_DIR/dual.net
	generate fattree2 --spines 4 --leaves 8 --hosts 4 --rails 2 |
		sed 's/ base port 0 / enhanced port 0 /' >"$NET"
	both dual
else
	both "$FABRIC"
fi
[ -z "$BAD" ] || fail "differences without a reason:$BAD"
[ -n "${SETS_ONLY:-}" ] || no_idle_rules "$FABRIC"
say "OK: $FABRIC"
