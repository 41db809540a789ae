#!/bin/sh
# heddled --audit on fabrics of other subnet managers. usage: audit.sh WHAT
#	opensm	updn with a given root on a random fabric, on ibsim, where no
#		subnet administration answers: there may be a credit loop, and
#		the audit changes nothing
#	cut	minhop on a random fabric, on ibsim, which delivers the first
#		256 bytes of an answer: the three paths in them are not all
#	tenants	minhop on a torus with partitions: a host does not speak for
#		its neighbour, a path that is withheld is unknown
#	credit	the same with one that answers: there is a credit loop
#	lash	lash on the same fabric: VLs break it, as its SLs show
#	dfsssp	dfsssp on the torus where minhop has credit loops: its VLs
#		break those of hosts' packets, not those of switches' packets
#	2qos	torus-2QoS on a torus, whose packets change VLs on their path:
#		no deadlock, groups included
#	torus	minhop on a torus, with groups: a deadlock is not ruled out,
#		all trees are right, nothing is written, no group is joined
#	sim	heddled's own tables, on heddle-sim: safe; and no fabric at all
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# audit RESULT: its JSON in $E2E_DIR/audit.json; it must exit with that code
audit() {
	case $1 in
	0) want="SAFE" ;;
	1) want="AT RISK" ;;
	*) want="UNKNOWN" ;;
	esac
	sm_config
	on "$E2E_TOOL_HOST" "$B/heddled" -c "$E2E_CONF" --audit --json \
		>"$E2E_DIR/audit.json" 2>"$E2E_DIR/audit.err"
	a_rc=$?
	[ $a_rc = "$1" ] || fail "--audit ended with $a_rc, not $1:" \
		"$(cat "$E2E_DIR/audit.err" "$E2E_DIR/audit.json")"
	same verdict "$want"
	same wire.sets 0
}

# as_page: once more, as text
as_page() {
	on "$E2E_TOOL_HOST" "$B/heddled" -c "$E2E_CONF" --audit \
		>"$E2E_DIR/audit.page" 2>"$E2E_DIR/audit.err"
	awk 'length > 88 { exit 1 }' "$E2E_DIR/audit.page" ||
		fail "wide lines: $(awk 'length > 88' "$E2E_DIR/audit.page")"
}

found() {
	json_get "$E2E_DIR/audit.json" "$1"
}

# same KEY WANT
same() {
	[ "$(found "$1")" = "$2" ] || fail "$1 is $(found "$1"), not $2"
}

# some KEY: its value is above 0
some() {
	[ "$(found "$1")" -gt 0 ] || fail "$1 is $(found "$1")"
}

# page PATTERN: a line of the text
page() {
	grep -q "$1" "$E2E_DIR/audit.page" ||
		fail "no '$1': $(cat "$E2E_DIR/audit.page")"
}

# The GUID of the first switch in a net file.
first_switch() {
	sed -n 's/^switchguid=\(0x[0-9a-f]*\).*/\1/p' "$1" | head -n 1
}

audit_opensm() {
	fabric irregular "$E2E_DIR/fabric.net"
	sim_start "$E2E_DIR/fabric.net"
	first_switch "$E2E_DIR/fabric.net" >"$E2E_DIR/roots"
	on "$E2E_SM_HOST" opensm -o -R updn -a "$E2E_DIR/roots" \
		-f "$E2E_DIR/sm.log" >"$E2E_DIR/sm.out" 2>&1 ||
		fail "opensm failed"
	judge before --allow-cycles || fail "opensm's tables are wrong"
	sim_dump "$E2E_DIR/was"
	audit 1
	sim_dump "$E2E_DIR/is"
	cmp -s "$E2E_DIR/was" "$E2E_DIR/is" || fail "the audit left a trace"
	same found.verified.unreachable 0
	same heddle.verified.ok true
	# a judge that shares no code with the verifier agrees
	same found.load.max "$(json_get "$E2E_DIR/before.json" load_max)"
	[ "$(json_get "$E2E_DIR/before.json" cyclic)" -gt 0 ] ||
		fail "the other judge sees no loop"
	# no SA answers with the SLs
	same sa.answers false
	same dependencies.cyclic_sure 0
	same findings.0.severity risk
	as_page
	page "^AT RISK: a deadlock cannot be ruled out; not everything"
	page "^RISK  *Credit loop of [0-9]* links: "
	page "    - 'sw[0-9]*' port [0-9]* -> 'sw[0-9]*' port [0-9]*, VL 0: LID"
	say "eBB $(found found.ebb.mean), Heddle's $(found heddle.ebb.mean)"
}

# manager OPTIONS...: opensm on the first host of heddle-sim, with a subnet
# administration that answers, until a fabric is up. Its first sweep takes every
# port for one with a single VL, as it was when it was read.
manager() {
	mkdir -p "$E2E_DIR/sm"
	echo 'force_log_flush TRUE' >"$E2E_DIR/opensm.conf"
	rm -f "$E2E_DIR/sm.log"
	(cd "$E2E_DIR/sm" && exec env SIM_HOST="$E2E_SM_HOST" \
		LD_PRELOAD="$E2E_SO" OSM_TMP_DIR="$E2E_DIR/sm" \
		OSM_CACHE_DIR="$E2E_DIR/sm" opensm -s 0 \
		-F "$E2E_DIR/opensm.conf" -f "$E2E_DIR/sm.log" "$@") \
		>"$E2E_DIR/sm.out" 2>&1 </dev/null &
	E2E_SM_PID=$!
	soon ups 1 || fail "opensm: no first sweep"
	kill -HUP "$E2E_SM_PID"
	soon ups 2 || fail "opensm: no second sweep"
}

# ups N: N sweeps have ended well
ups() {
	gone "$E2E_SM_PID" && fail "opensm ended"
	[ "$(grep -s 'SUBNET UP' "$E2E_DIR/sm.log" | grep -c '')" -ge "$1" ]
}

# Programs with libheddle-umad: it can receive long answers.
served_fabric() {
	E2E_SO=$B/libheddle-umad.so
	serve "$E2E_DIR/fabric.net"
}

# opensm with minhop's tables on a random fabric, which a judge that shares no
# code with the audit finds cyclic
audit_cut() {
	generate random --switches 24 --degree 5 --hosts 2 --seed 2 \
		>"$E2E_DIR/fabric.net" || fail "no fabric"
	sim_start "$E2E_DIR/fabric.net"
	sm_launch opensm -R minhop -d2 -f "$E2E_DIR/sm.log"
	soon ups 1 || fail "opensm: no sweep"
	judge tables --allow-cycles || fail "opensm's tables are wrong"
	[ "$(json_get "$E2E_DIR/tables.json" cyclic)" -gt 0 ] ||
		fail "the other judge sees no loop"
	audit 1
	same sa.answers true
	same sa.sources_answered 0
	same sa.pairs_told 0
	some sa.pairs_assumed
	same findings.0.kind deadlock
	same dependencies.cyclic_on_one_vl \
		"$(json_get "$E2E_DIR/tables.json" cyclic)"
	as_page
	page "^AT RISK: a deadlock cannot be ruled out"
	page "affected: packets to [1-9][0-9]* of 48 host ports cross"
	tr -s '\n ' '  ' <"$E2E_DIR/audit.page" |
		grep -q "asked for its groups 1 time, answered RMPP that is no data" ||
		fail "why: $(cat "$E2E_DIR/audit.page")"
	say "$(found dependencies.cyclic) channels, as if one VL" \
		"$(found dependencies.cyclic_on_one_vl)"
}

# guids FIRST STEP: the port GUIDs of every STEP-th host from the FIRST on, as
# members of a partition
guids() {
	sed -n 's/^caguid=\(0x[0-9a-f]*\).*/\1/p' "$E2E_DIR/fabric.net" |
		awk -v first="$1" -v step="$2" 'NR % step == first % step' |
		while read -r g; do
			printf '%s0x%016x=full' "$sep" $((g + 1))
			sep=', '
		done
}

audit_tenants() {
	generate torus --dim 3x3 --hosts 2 >"$E2E_DIR/fabric.net" ||
		fail "no fabric"
	served_fabric
	sep=
	cat >"$E2E_DIR/partitions" <<-EOT
		Default=0x7fff: ALL=limited, ALL_SWITCHES=full, SELF=full;
		red=0x8001: $(guids 1 2);
		blue=0x8002: $(guids 2 2);
	EOT
	manager -R minhop -P "$E2E_DIR/partitions"
	audit 1
	same sa.asked "every host"
	# tenants have no paths to each other
	some sa.pairs_told
	some sa.pairs_assumed
	same findings.0.kind deadlock
	# minhop on a torus: the tables have the loop, whoever may send
	found findings.0.text | grep -q " $(found \
		dependencies.cyclic_on_one_vl) link directions" ||
		fail "$(found findings.0.text)"
	say "$(found sa.pairs_told) pairs told, $(found sa.pairs_assumed) not;" \
		"$(found dependencies.cyclic) channels in loops"
}

audit_credit() {
	fabric irregular "$E2E_DIR/fabric.net"
	served_fabric
	first_switch "$E2E_DIR/fabric.net" >"$E2E_DIR/roots"
	manager -R updn -a "$E2E_DIR/roots"
	audit 1
	same sa.answers true
	same sa.asked "every host"
	same sa.pairs_assumed 0
	same found.verified.unreachable 0
	some dependencies.cyclic_sure
	same findings.0.kind deadlock
	as_page
	page "^AT RISK: this fabric can deadlock"
	page "affected: packets to [1-9][0-9]* of 256 host ports cross"
	page "^FAULT  *Credit loop of [0-9]* links: "
	page "no deadlock is possible: Heddle's routes"
	say "$(grep '^FAULT ' "$E2E_DIR/audit.page")"
}

audit_lash() {
	generate random --switches 24 --degree 5 --hosts 2 --seed 1 \
		>"$E2E_DIR/fabric.net" || fail "no fabric"
	served_fabric
	manager -R lash -Q
	audit 0
	same sa.pairs_assumed 0
	same dependencies.cyclic 0
	# the VLs break the loops
	some dependencies.cyclic_on_one_vl
	[ "$(found sl2vl.vls)" -gt 1 ] || fail "one VL"
	as_page
	page "^SAFE: every pair reaches, nothing loops, no deadlock"
	page "directions would be in credit loops: the VLs"
	# without its SLs this could not be known
	stop_pid "$E2E_SM_PID"
	E2E_SM_PID=
	audit 1
	same sa.answers false
	same findings.0.kind deadlock
	same findings.0.severity risk
	say "$(found sl2vl.vls) VLs," \
		"$(found dependencies.cyclic_on_one_vl) directions on one"
}

audit_dfsssp() {
	grep -aq dfsssp "$(command -v opensm)" || skip "this opensm has no dfsssp"
	generate torus --dim 5x5 --hosts 2 >"$E2E_DIR/fabric.net" ||
		fail "no fabric"
	served_fabric
	manager -R dfsssp -Q
	grep -q 'dfsssp tables configured' "$E2E_DIR/sm.log" ||
		skip "opensm fell back from dfsssp: $(tail "$E2E_DIR/sm.log")"
	audit 1
	same sa.pairs_assumed 0
	some dependencies.cyclic_on_one_vl
	# VLs break the loops of hosts' packets; dfsssp ignores packets that
	# switches send
	same dependencies.cyclic_sure 0
	some dependencies.cyclic
	same findings.0.kind deadlock
	same findings.0.severity risk
	as_page
	page "^AT RISK: a deadlock cannot be ruled out$"
	tr -s '\n ' '  ' <"$E2E_DIR/audit.page" | grep -q "from switches alone" ||
		fail "whose packets: $(cat "$E2E_DIR/audit.page")"
	page "no deadlock is possible: Heddle's routes"
	say "$(found sl2vl.vls) VLs," \
		"$(found dependencies.cyclic_on_one_vl) directions on one," \
		"$(found dependencies.cyclic) with what switches send"
}

# trees: multicast trees exist and all are complete
trees() {
	on "$E2E_TOOL_HOST" "$B/heddled" -c "$E2E_CONF" --audit --json \
		>"$E2E_DIR/audit.json" 2>"$E2E_DIR/audit.err"
	[ "$(found groups.trees)" -gt 0 ] 2>/dev/null || return 1
	for key in loops parted copies dead_entries left_over; do
		[ "$(found groups.$key)" = 0 ] || return 1
	done
}

# join: some hosts join the groups of IPoIB
join() {
	for h in h3 h9 h17 h30 h44; do
		on $h "$B/heddle-saclient" ipoib h12 >"$E2E_DIR/join" 2>&1 ||
			fail "$h: $(cat "$E2E_DIR/join")"
	done
	# opensm writes the trees after it has answered
	sm_config
	soon trees || fail "no trees: $(cat "$E2E_DIR/audit.err")"
}

# The members in subnet administration, and the tables in the switches.
kept() {
	for k_record in MCMR IIR SR; do
		on h20 saquery --smkey 1 $k_record 2>&1
	done | grep -v -i lease >"$E2E_DIR/$1"
	[ -s "$E2E_DIR/$1" ] || fail "no records"
}

audit_torus() {
	generate torus --dim 5x5 --hosts 2 >"$E2E_DIR/fabric.net" ||
		fail "no fabric"
	served_fabric
	manager -R minhop
	join
	kept was
	sim stats clear >/dev/null || fail "no stats"
	audit 1
	sim stats >"$E2E_DIR/stats"
	grep -q 'Get MulticastForwardingTable' "$E2E_DIR/stats" ||
		fail "$(cat "$E2E_DIR/stats")"
	! grep '^Set ' "$E2E_DIR/stats" || fail "Sets arrived"
	kept is
	cmp -s "$E2E_DIR/was" "$E2E_DIR/is" || fail "the audit left a trace"
	some groups.trees
	some sa.groups
	some dependencies.cyclic_sure
	for key in loops parted copies dead_entries left_over; do
		same groups.$key 0
	done
	as_page
	page "^multicast  *[1-9][0-9]* trees* to"
	say "$(sed -n '/^multicast/p' "$E2E_DIR/audit.page")"
}

# guid NAME: of the switch with this name
guid() {
	awk -v name="\"$1\"" '/^switchguid=/ { split($0, a, /[=(]/); g = a[2] }
		/^Switch/ && index($0, name) { print g; exit }' \
		"$E2E_DIR/fabric.net"
}

audit_2qos() {
	generate torus --dim 5x5x3 --hosts 1 >"$E2E_DIR/fabric.net" ||
		fail "no fabric"
	served_fabric
	o=$(guid sw0.0.0)
	cat >"$E2E_DIR/torus.conf" <<-EOT
		torus 5 5 3
		xp_link $o $(guid sw1.0.0)
		yp_link $o $(guid sw0.1.0)
		zp_link $o $(guid sw0.0.1)
	EOT
	manager -R torus-2QoS -Q --torus_config "$E2E_DIR/torus.conf"
	join
	audit 0
	same sa.pairs_assumed 0
	some dependencies.cyclic_on_one_vl
	some groups.trees
	[ "$(found sl2vl.kinds)" -gt 1 ] || fail "every table is the same"
	say "$(found sl2vl.vls) VLs, $(found sl2vl.kinds) tables"
}

audit_sim() {
	fabric tree648 "$E2E_DIR/fabric.net"
	served_fabric
	sm_start
	soon at_rest || fail "no bring-up"
	audit 0
	same found.verified.ok true
	same found.load.max "$(found heddle.load.max)"
	as_page
	say "$(sed -n 1p "$E2E_DIR/audit.page")"
	# what subnet administration would say is unknown without it
	sm_stop
	sim stats clear >/dev/null || fail "no stats"
	audit 3
	sim stats >"$E2E_DIR/stats"
	grep -q 'Get' "$E2E_DIR/stats" || fail "$(cat "$E2E_DIR/stats")"
	! grep '^Set ' "$E2E_DIR/stats" || fail "Sets arrived"
	same sa.answers false
	unserve
	# nothing can be read any more
	on "$E2E_TOOL_HOST" "$B/heddled" -c "$E2E_CONF" --audit --json \
		>"$E2E_DIR/audit.json" 2>"$E2E_DIR/audit.err"
	[ $? = 3 ] || fail "no fabric: $(cat "$E2E_DIR/audit.err")"
	same verdict UNKNOWN
}

case ${1:-} in
opensm | cut | tenants | credit | lash | dfsssp | 2qos | torus | sim) ;;
*)
	echo "usage: audit.sh opensm|cut|tenants|credit|lash|dfsssp|2qos|torus|sim" >&2
	exit 2
	;;
esac
e2e_init
E2E_TIMEOUT=2s # all nodes answer here
"audit_$1"
say "PASS"
