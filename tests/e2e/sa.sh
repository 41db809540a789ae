#!/bin/sh
# usage: sa.sh FABRIC
# Subnet administration through libheddle-umad.so on heddle-sim: every record
# that saquery knows is asked of heddled and of opensm on the same fabric, and
# compared field by field. LIDs are each one's own choice: in the comparison a
# LID is the port that has it. What may differ, and why, is in differs().
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

PRELOAD=
RECORDS="NR PIR SWIR LR SMIR GIR PKTR LFTR MFTR SL2VL VLAR SR IIR PR"

# serve FILE: heddle-sim on this fabric
serve() {
	"$B/heddle-sim" serve "$1" --name "$IBSIM_SOCKNAME" \
		>"$E2E_DIR/sim.out" 2>&1 </dev/null &
	E2E_SIM_PID=$!
	until_true 60 grep -q 'ready as' "$E2E_DIR/sim.out" ||
		fail "the server did not start: $(cat "$E2E_DIR/sim.out")"
}

unserve() {
	stop_pid "$E2E_SM_PID"
	E2E_SM_PID=
	"$B/heddle-sim" ctl --name "$IBSIM_SOCKNAME" quit >/dev/null
	until_true 10 gone "$E2E_SIM_PID" || fail "the server goes on"
	E2E_SIM_PID=
}

# under HOST COMMAND...: on that node
under() {
	u_host=$1
	shift
	SIM_HOST=$u_host LD_PRELOAD=$PRELOAD OSM_TMP_DIR=$E2E_DIR/sm \
		OSM_CACHE_DIR=$E2E_DIR/sm "$@"
}

# sm_up WHO: that subnet manager on h1, until its SA answers with every node
sm_up() {
	mkdir -p "$E2E_DIR/sm"
	if [ "$1" = opensm ]; then
		echo 'force_log_flush TRUE' >"$E2E_DIR/opensm.conf"
		set -- opensm -F "$E2E_DIR/opensm.conf" -f "$E2E_DIR/sm.log"
	else
		E2E_CONF_MORE="sa: {trust_key: 0x1}"
		sm_config
		set -- "$B/heddled" -c "$E2E_CONF"
	fi
	(cd "$E2E_DIR/sm" && exec env SIM_HOST=h1 LD_PRELOAD="$PRELOAD" \
		OSM_TMP_DIR="$E2E_DIR/sm" OSM_CACHE_DIR="$E2E_DIR/sm" "$@") \
		>"$E2E_DIR/sm.out" 2>&1 </dev/null &
	E2E_SM_PID=$!
	until_true 60 all_nodes || fail "$1: no SA: $(tail -n 5 "$E2E_DIR/sm.out")"
}

all_nodes() {
	gone "$E2E_SM_PID" && fail "it ended: $(tail -n 5 "$E2E_DIR/sm.out")"
	under h7 saquery -t 1000 NR >"$E2E_DIR/nodes" 2>/dev/null
	[ "$(grep -c "NodeRecord dump" "$E2E_DIR/nodes")" = "$NODES" ] &&
		! grep -q "NodeDescription\.*$" "$E2E_DIR/nodes"
}

# ask WHO: everything, one file a record
ask() {
	a_dir=$E2E_DIR/$1
	mkdir -p "$a_dir"
	under h7 saquery --smkey 1 CPI >"$a_dir/CPI" 2>&1 || fail "$1: CPI"
	for rec in $RECORDS; do
		under h7 saquery -t 20000 --smkey 1 "$rec" >"$a_dir/$rec" \
			2>"$a_dir/$rec.err" ||
			fail "$1: $rec: $(cat "$a_dir/$rec.err")"
	done
	# who has which LID
	awk '/^\t\tlid\./ { sub(/.*\./, ""); lid = $0 }
		/^\t\tport_guid\./ { sub(/.*\./, ""); print lid, $0 }' \
		"$a_dir/NR" >"$a_dir/lids"
}

# flat WHO RECORD: lines "port-or-key field value"; a LID becomes its port's
# GUID. Records are told apart by what identifies them, not by their order.
flat() {
	awk -v kind="$2" '
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
		l = tolower(f)
		if (l ~ /lid$/)
			v = named(v)
		if (l ~ /^(lid|endportlid|fromlid|slid|dlid|port|portnum|fromport|block|inport|outport|port_num)$/ ||
			l ~ /^subscribergid/)
			key = key "/" v
		line[n++] = f "=" v
	}
	END { flush() }' "$E2E_DIR/$1/lids" "$E2E_DIR/$1/$2" | LC_ALL=C sort
}

# What may differ, a pattern for lines of flat's output and the reason. Switches
# of generated fabrics have GUIDs from 0x0002c902 on.
differs() {
	cat <<-'EOT'
	^PIR/.* (LocalPhysErr|OverrunErr)= : opensm sets thresholds of 8
	^PIR/.* PartEnforce(Inb|Outb)= : opensm enforces the one partition
	^PIR/.* (VLStallCount|HoqLife)= : lifetimes are each one's choice
	^PIR/0x0002c902[^ ]* (SM)?Lid= : what port 0 and external ports said
	^SWIR/.* (LinearFDBTop|LifeTimeValue.*|MulticastFDBTop)= : tables end where each one's LIDs and groups do
	^SMIR/.* ActCount= : counted by each in its own way
	^LFTR/ : routes are each one's own, and judged by other tests
	^PR/.*0x0002c902.* rate= : opensm counts switch ports 0, which have no link
	^SL2VL/ : opensm gives zeroes that it never read, heddled what it knows
	^VLAR/ : the same
	^PKTR/0x0002c902[^ ]*/[1-9] : opensm gives external ports tables that it never read
	EOT
}

# excused FILE: without the lines that may differ
excused() {
	differs | sed 's/ : .*//' >"$E2E_DIR/excuse"
	grep -vE -f "$E2E_DIR/excuse" "$1"
}

compare() {
	c_bad=0
	for rec in $RECORDS; do
		for who in heddled opensm; do
			flat $who "$rec" >"$E2E_DIR/$who.flat"
			excused "$E2E_DIR/$who.flat" >"$E2E_DIR/$who.left"
		done
		h=$(grep -c '' "$E2E_DIR/heddled.flat")
		o=$(grep -c '' "$E2E_DIR/opensm.flat")
		l=$(grep -c '' "$E2E_DIR/heddled.left")
		say "$rec: heddled $h fields, opensm $o, must be alike $l"
		if ! cmp -s "$E2E_DIR/heddled.left" "$E2E_DIR/opensm.left"; then
			diff "$E2E_DIR/heddled.left" "$E2E_DIR/opensm.left" |
				head -n 10
			c_bad=1
		fi
		[ "$h" -gt 0 ] || case $rec in
		MFTR | SL2VL | VLAR | SR | IIR) ;;
		*) fail "$rec: heddled gave nothing" ;;
		esac
	done
	[ $c_bad = 0 ] || fail "fields differ without a reason"
}

# What goes wrong must go wrong in words.
expect() {
	e_want=$1
	shift
	under h7 saquery "$@" >"$E2E_DIR/said" 2>&1
	grep -q "$e_want" "$E2E_DIR/said" ||
		fail "saquery $*: no $e_want: $(head -n 3 "$E2E_DIR/said")"
}

questions() {
	expect ERR_REQ_DENIED --smkey 7 NR
	expect ERR_REQ_INVALID_GID PR --dgid fe80::dead
	lid=$(under h7 ibstat | sed -n 's/.*Base lid: //p')
	expect "slid.*\.$lid\$" PR --slid "$lid" --dlid 1
	expect 'mtu\.*0x84' PR --slid "$lid" --dlid 1 --mtu 0x84
	expect 'rate\.*0x83' PR --slid "$lid" --dlid 1 --rate 0x83
	expect 'NodeDescription\.*h7' NR "$lid"
	n=$(under h7 saquery PR --slid "$lid" --dlid 1 --rate 0x18 |
		grep -c dump)
	[ "$n" = 0 ] || fail "a path faster than 1200 Gb/s"
	expect "^$lid\$" -L h7
	expect 'num_path_revers\.*0x8' --src-to-dst h7:h1
	under h7 ibtracert "$lid" 1 >"$E2E_DIR/trace" 2>&1 ||
		fail "ibtracert: $(cat "$E2E_DIR/trace")"
}

# groups WHO: the broadcast group, as who is not trusted sees it
groups() {
	under h7 saquery --smkey 0 MCMR >"$E2E_DIR/$1/groups" 2>&1 ||
		fail "$1: MCMR: $(cat "$E2E_DIR/$1/groups")"
	[ "$(grep -c 'MCMember.*dump' "$E2E_DIR/$1/groups")" = 1 ] ||
		fail "$1: not one group: $(cat "$E2E_DIR/$1/groups")"
	under h7 saquery --smkey 0 -g >"$E2E_DIR/$1/g" 2>&1 ||
		fail "$1: -g: $(cat "$E2E_DIR/$1/g")"
}

same_groups() {
	for what in groups g; do
		diff "$E2E_DIR/heddled/$what" "$E2E_DIR/opensm/$what" ||
			fail "the broadcast group is another one"
	done
	say "the broadcast group: alike, $(grep -c ':\|\.\.' \
		"$E2E_DIR/heddled/groups") fields"
}

main() {
	e2e_init
	PRELOAD=$B/libheddle-umad.so
	fabric "$1" "$E2E_DIR/fabric.net"
	NODES=$(awk '$1 ~ /^(Switch|Ca|Rt)$/' "$E2E_DIR/fabric.net" |
		grep -c '')
	serve "$E2E_DIR/fabric.net"
	sm_up heddled
	ask heddled
	groups heddled
	questions
	unserve
	serve "$E2E_DIR/fabric.net"
	sm_up opensm
	ask opensm
	groups opensm
	unserve
	compare
	same_groups
	say "PASS"
}

main "${1:-demo}"
