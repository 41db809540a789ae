#!/bin/sh
# usage: sa.sh FABRIC
# Subnet administration through libheddle-umad.so on heddle-sim: every record
# that saquery knows, and the requests of hosts' programs (heddle-saclient), are
# asked of heddled and of opensm on the same fabric, and compared field by
# field. Each manager chooses LIDs: in the comparison a LID is the port that has
# it. Differences that are permitted, and why, are in records.expect.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

RECORDS="NR PIR SWIR LR SMIR GIR PKTR LFTR MFTR SL2VL VLAR SR IIR MCMR PR"
RULES=tests/e2e/records.expect
PROGRAMS="ipoib cm acm srp multi"
PEER=h12

# sm_up MANAGER: run it on h1, until its SA answers with every node
sm_up() {
	SM_IS=$1
	if [ "$1" = opensm ]; then
		echo 'force_log_flush TRUE' >"$E2E_DIR/opensm.conf"
		set -- opensm -F "$E2E_DIR/opensm.conf" -f "$E2E_DIR/sm.log"
	else
		E2E_CONF_MORE="sa: {trust_key: 0x1}"
		sm_config
		set -- "$B/heddled" -c "$E2E_CONF"
	fi
	sm_launch "$@"
	soon all_nodes || fail "$1: no SA"
	[ "$SM_IS" = opensm ] || rest
}

all_nodes() {
	gone "$E2E_SM_PID" && fail "it ended"
	on h7 saquery -t 1000 NR >"$E2E_DIR/nodes" 2>/dev/null
	[ "$(grep -c "NodeRecord dump" "$E2E_DIR/nodes")" = "$NODES" ] &&
		! grep -q "NodeDescription\.*$" "$E2E_DIR/nodes"
}

# play MANAGER: the requests of programs, from the host that is queried later
play() {
	p_out=$E2E_DIR/$1/CLIENT
	mkdir -p "$E2E_DIR/$1"
	: >"$p_out"
	for program in $PROGRAMS register; do
		on h7 "$B/heddle-saclient" "$program" $PEER >>"$p_out" \
			2>"$p_out.err" ||
			fail "$1: $program: $(cat "$p_out.err")"
	done
	virtual "$1"
}

# virtual MANAGER: with a GRH in its requests, as behind a virtual port, a
# program gets the same answers
virtual() {
	# shellcheck disable=SC2086
	on h7 "$B/heddle-saclient" grh cm $PEER >"$E2E_DIR/$1.grh" 2>&1 ||
		fail "$1: with a GRH: $(tail -n 1 "$E2E_DIR/$1.grh")"
	grep '^cm\.' "$E2E_DIR/$1/CLIENT" | cmp -s - "$E2E_DIR/$1.grh" ||
		fail "$1: with a GRH: $(diff "$E2E_DIR/$1/CLIENT" \
			"$E2E_DIR/$1.grh" | grep '^> ')"
}

# ask MANAGER: query all records, one file each
ask() {
	a_dir=$E2E_DIR/$1
	mkdir -p "$a_dir"
	on h7 saquery --smkey 1 CPI >"$a_dir/CPI" 2>&1 || fail "$1: CPI"
	for rec in $RECORDS; do
		on h7 saquery --smkey 1 "$rec" >"$a_dir/$rec" \
			2>"$a_dir/$rec.err" ||
			fail "$1: $rec: $(cat "$a_dir/$rec.err")"
	done
	# untrusted queries: opensm refuses some of them
	for rec in MCMR PKTR; do
		on h7 saquery --smkey 0 "$rec" >"$a_dir/${rec}0" \
			2>/dev/null || :
	done
	# the owners of LIDs
	awk '/^\t\tlid\./ { sub(/.*\./, ""); lid = $0 }
		/^\t\tport_guid\./ { sub(/.*\./, ""); print lid, $0 }' \
		"$a_dir/NR" >"$a_dir/lids"
}

# flat MANAGER RECORD: lines "port-or-key field value"; a LID becomes its port's
# GUID. Records are identified by their keys, not by their order.
flat() {
	awk -v kind="$2" '
	BEGIN { key = kind }
	NR == FNR { guid[$1] = $2; next }
	function named(v) { return v in guid ? guid[v] : v }
	function flush(    i) {
		for (i = 0; i < n; i++)
			print key, line[i]
		n = 0
		key = kind
		section = ""
	}
	/dump:$/ && !/(Port|SM|Switch)Info dump/ { flush(); next }
	{
		gsub(/^[ \t]+|[ \t]+$/, "")
		if ($0 == "" || $0 == "RID" || /dump:$/)
			next
		# "field....value", "field:...value", "field: value"
		if (match($0, /\.\.+/)) {
			f = substr($0, 1, RSTART - 1)
			v = substr($0, RSTART + RLENGTH)
		} else if (match($0, /: */)) {
			f = substr($0, 1, RSTART - 1)
			v = substr($0, RSTART + RLENGTH)
		} else {
			f = "+"
			v = $0
		}
		sub(/:$/, "", f)
		# the port by which a switch was asked: of equally long paths
		# the one on which an answer came first
		if (f == "LocalPort")
			next
		l = tolower(f)
		if (l ~ /lid$/)
			v = named(v)
		if (l ~ /^(lid|endportlid|fromlid|slid|dlid|port|portnum|fromport|block|inport|outport|port_num)$/ ||
			l ~ /^(subscribergid|trap_num|mgid|portgid|serviceid|servicegid|dgid|sgid)$/)
			key = key "/" v
		line[n++] = f "=" v
	}
	END { flush() }' "$E2E_DIR/$1/lids" "$E2E_DIR/$1/$2" | LC_ALL=C sort
}

# One record type of both, as lines for records.awk.
lines() {
	if [ "$2" = CLIENT ]; then
		sed 's/^\([^ ]*\) \([^ ]*\) /CLIENT\/\1 \2=/' \
			"$E2E_DIR/$1/CLIENT" | LC_ALL=C sort
	else
		flat "$1" "$2"
	fi
}

# The table, and differences that no rule explains.
compare() {
	c_bad=0
	: >"$E2E_DIR/used"
	printf '%-8s %7s %7s %7s %7s %7s %7s\n' record fields equal better \
		other worse bad
	for rec in CPI $RECORDS MCMR0 PKTR0 CLIENT; do
		for who in heddled opensm; do
			lines $who "$rec" >"$E2E_DIR/$who.flat"
		done
		awk -v rec="$rec" -v rules=$RULES -v used="$E2E_DIR/used" \
			-f tests/e2e/records.awk "$E2E_DIR/heddled.flat" \
			"$E2E_DIR/opensm.flat" || c_bad=1
		[ -s "$E2E_DIR/heddled.flat" ] || case $rec in
		SL2VL | VLAR) ;;
		*) fail "$rec: heddled gave nothing" ;;
		esac
	done
	[ $c_bad = 0 ] || fail "fields differ without a reason"
}

# Every rule is needed.
no_idle_rules() {
	grep -vE '^#|^$' $RULES | awk -v used="$E2E_DIR/used" '
	BEGIN { while ((getline n < used) > 0) need[n] = 1 }
	!(NR in need) { print; bad = 1 }
	END { exit(bad) }' || fail "nothing differs like that any more"
}

# Errors must be explained in words.
expect() {
	e_want=$1
	shift
	on h7 saquery "$@" >"$E2E_DIR/said" 2>&1
	grep -q "$e_want" "$E2E_DIR/said" ||
		fail "saquery $*: no $e_want: $(head -n 3 "$E2E_DIR/said")"
}

questions() {
	expect ERR_REQ_DENIED --smkey 7 NR
	expect ERR_REQ_INVALID_GID PR --dgid fe80::dead
	lid=$(on h7 ibstat | sed -n 's/.*Base lid: //p')
	expect "slid.*\.$lid\$" PR --slid "$lid" --dlid 1
	expect 'mtu\.*0x84' PR --slid "$lid" --dlid 1 --mtu 0x84
	expect 'rate\.*0x83' PR --slid "$lid" --dlid 1 --rate 0x83
	expect 'NodeDescription\.*h7' NR "$lid"
	n=$(on h7 saquery PR --slid "$lid" --dlid 1 --rate 0x18 |
		grep -c dump)
	[ "$n" = 0 ] || fail "a path faster than 1200 Gb/s"
	expect "^$lid\$" -L h7
	expect 'num_path_revers\.*0x8' --src-to-dst h7:h1
	on h7 ibtracert "$lid" 1 >"$E2E_DIR/trace" 2>&1 ||
		fail "ibtracert: $(cat "$E2E_DIR/trace")"
}

# Reports arrive: a link goes down and comes back while a client listens, behind
# a virtual port.
events() {
	on h9 "$B/heddle-saclient" grh listen 2 >"$E2E_DIR/listen" 2>&1 &
	e_pid=$!
	soon grep -q listening "$E2E_DIR/listen" ||
		fail "$1: no subscription: $(cat "$E2E_DIR/listen")"
	for e_event in down:65 up:64; do
		sim link h20 ${e_event%:*} >/dev/null || fail "the cable of h20"
		soon grep -q "trap ${e_event#*:} about" "$E2E_DIR/listen" ||
			fail "$1: no report of it: $(cat "$E2E_DIR/listen")"
	done
	soon gone $e_pid || fail "$1: reports: $(cat "$E2E_DIR/listen")"
	say "$1: reports 65 and 64 arrive"
}

# both MANAGER: all queries
both() {
	serve "$E2E_DIR/fabric.net"
	sm_up "$1"
	play "$1"
	ask "$1"
	[ "$1" = opensm ] || questions
	events "$1"
	sm_stop
	unserve
}

main() {
	e2e_init
	E2E_SO=$B/libheddle-umad.so
	fabric "$1" "$E2E_DIR/fabric.net"
	NODES=$(awk '$1 ~ /^(Switch|Ca|Rt)$/' "$E2E_DIR/fabric.net" |
		grep -c '')
	both heddled
	both opensm
	compare
	[ "${1:-demo}" != demo ] || no_idle_rules
	say "PASS"
}

main "${1:-demo}"
