#!/bin/sh
# heddlectl plan. usage: plan.sh WHAT
#	verdict	SAFE or UNSAFE comes first, with who loses what, in ten lines
#	trees	verdicts, figures and failures on fabrics made by rule, and
#		--dump-fts as dump_fts prints what heddled wrote, on ibsim
#	input	wrong input is refused, with its position
#	live	tables in force from the running daemon
#	bad	wrong links and wrong roles are routed, and reported
#	loss	partitions and LMCs that take ports from each other, or LIDs: told
#		before, and refused at a reload unless the file accepts it
#	homes	single points of failure: the daemon counts as the plan does
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

plan() {
	"$B/heddlectl" plan --json "$@" >"$E2E_DIR/plan.json" \
		2>"$E2E_DIR/plan.err"
}

# same KEY WANT
same() {
	same_is=$(json_get "$E2E_DIR/plan.json" "$1")
	[ "$same_is" = "$2" ] || fail "$1 is $same_is, not $2"
}

# refused CODE TEXT ARGUMENTS...: it exits so and prints that, and the object of
# an error
refused() {
	refused_code=$1
	refused_text=$2
	shift 2
	plan "$@"
	[ $? = "$refused_code" ] || fail "plan $*: not code $refused_code"
	grep -qF -- "$refused_text" "$E2E_DIR/plan.err" ||
		fail "plan $* says: $(cat "$E2E_DIR/plan.err")"
	same ok false
}

# A table without the parts that depend on the reading host, switches sorted.
tables() {
	sed 's/^Unicast lids .* guid /Unicast guid /' "$1" |
		awk '/^Unicast/ { g = $3 } { print g "\t" NR "\t" $0 }' |
		sort -k1,1 -k2,2n | cut -f3
}

plan_trees() {
	fabric tree648 "$E2E_DIR/648.net"
	plan --topology "$E2E_DIR/648.net" || fail "$(cat "$E2E_DIR/plan.err")"
	same fabric.switches 54
	same now.ok true
	same now.verified.pairs 37908
	same now.load.max 630
	same now.load.levels.0.links 648
	same now.shift.worst 1
	same now.shift.first_worst 1
	same now.hops.max 2
	same "then" -
	plan --topology "$E2E_DIR/648.net" --fail leaf3/19 --fail spine2 \
		--method all || fail "$(cat "$E2E_DIR/plan.err")"
	same then.ok true
	same then.verified.unreachable 0
	same impact.pairs_cut 0
	same impact.nodes_lost 1
	same impact.lost.0.name spine2
	same impact.redundancy.new_links 0
	same transition.0.method auto
	same transition.4.method dynamic
	generate fattree2 --spines 2 --leaves 4 --hosts 2 \
		>"$E2E_DIR/small.net"
	plan --topology "$E2E_DIR/small.net" --fail spine1 ||
		fail "$(cat "$E2E_DIR/plan.err")"
	same impact.redundancy.new_links 4
	same impact.redundancy.new_switches 1
	same impact.redundancy.switches.0 spine2
	plan --topology "$E2E_DIR/648.net" --engine ftree \
		--set 'routing.roles.leaf=[leaf*]' \
		--set 'routing.roles.root=[spine1, no-such-name]' ||
		fail "$(cat "$E2E_DIR/plan.err")"
	same now.ok true
	same now.routing.engine ftree
	same now.routing.fallback false
	same now.tree.tiers.0.switches 18
	same now.tree.tiers.0.configured 1
	same now.tree.tiers.0.links 17
	same now.tree.tiers.1.configured 36
	same now.tree.irregularities 1
	same now.tree.first.0.what role-unknown
	pieces
	adaptive
	compared
	say "trees: as they should be"
	dump_agrees
}

# page CODE FIRST ARGUMENTS...: the page for people: its exit code, its first
# line, its length
page() {
	page_code=$1
	page_first=$2
	shift 2
	"$B/heddlectl" plan "$@" >"$E2E_DIR/page" 2>"$E2E_DIR/plan.err"
	[ $? = "$page_code" ] || fail "plan $*: not code $page_code:" \
		"$(cat "$E2E_DIR/plan.err" "$E2E_DIR/page")"
	sed -n 1p "$E2E_DIR/page" | grep -q "$page_first" ||
		fail "plan $*: $(cat "$E2E_DIR/page")"
	[ "$(grep -c '' "$E2E_DIR/page")" -le 10 ] ||
		fail "plan $*: long: $(cat "$E2E_DIR/page")"
	! grep -q 'unequal:' "$E2E_DIR/page" || fail "$(cat "$E2E_DIR/page")"
}

plan_verdict() {
	fabric demo "$E2E_DIR/demo.net"
	page 0 '^SAFE: the routes verify$' --topology "$E2E_DIR/demo.net"
	page 0 '^SAFE: no host loses anything$' \
		--topology "$E2E_DIR/demo.net" --fail spine1
	page 0 '^SAFE: no host loses anything$' \
		--topology "$E2E_DIR/demo.net" --fail h7
	page 1 '^UNSAFE: 4 hosts lose the fabric: h1, h2, h3, h4$' \
		--topology "$E2E_DIR/demo.net" --fail leaf1
	page 1 '^UNSAFE: 1 host loses the fabric: h7$' \
		--topology "$E2E_DIR/demo.net" --fail h7/1
	page 0 '^SAFE: no host loses anything$' \
		--topology "$E2E_DIR/demo.net" --drain spine1
	grep -q '^question    drain of spine1$' "$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
	page 1 '^UNSAFE: 4 host ports are cut off when .* is pulled: h5, h6' \
		--topology "$E2E_DIR/demo.net" --drain leaf2
	# all that there is to say is one option away
	"$B/heddlectl" plan --topology "$E2E_DIR/demo.net" --fail leaf1 \
		--verbose >"$E2E_DIR/page"
	[ $? = 1 ] || fail "--verbose: another code"
	sed -n 1p "$E2E_DIR/page" | grep -q '^UNSAFE: 4 hosts lose' ||
		fail "$(cat "$E2E_DIR/page")"
	grep -q '^  lost ' "$E2E_DIR/page" || fail "$(cat "$E2E_DIR/page")"
	selene=$HEDDLE_FIXTURES/ufm-sdk-selene-compute.ibnet
	[ -e "$selene" ] || say "SKIP: $selene is not there"
	[ ! -e "$selene" ] || page 1 \
		'^UNSAFE: 4 hosts lose the fabric: .*selene-login-02' \
		--topology "$selene" --fail CSPINE1-80
}

# Each engine beside the others: figures, or why not.
compared() {
	generate torus --dim 6x5 --hosts 2 >"$E2E_DIR/torus.net"
	plan --compare --topology "$E2E_DIR/torus.net" ||
		fail "$(cat "$E2E_DIR/plan.err")"
	same best torus
	same fabric.hosts 60
	same engines.0.engine ftree
	same engines.0.verified false
	same engines.0.why "not a tree"
	same engines.3.engine torus
	same engines.3.verified true
	same engines.3.load 100
	same engines.3.hops_max 5
	same vls_assumed 4
	plan --compare --topology "$E2E_DIR/torus.net" --vls 1 ||
		fail "$(cat "$E2E_DIR/plan.err")"
	same vls_assumed 1
	same best updn
	same engines.5.vls 1
	"$B/heddlectl" plan --compare --topology "$E2E_DIR/torus.net" \
		--verbose >"$E2E_DIR/page" || fail "no table"
	grep -q '^best  *torus, ' "$E2E_DIR/page" || fail "$(cat "$E2E_DIR/page")"
	grep -q '^torus  *verified ' "$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
	grep -q '^dor  *no  *dimension 1 of 2 is a ring' "$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
}

# What switches may choose is told, with what links carry then.
adaptive() {
	plan --topology "$E2E_DIR/small.net" --set routing.adaptive.enabled=true \
		--fail leaf2/4 || fail "$(cat "$E2E_DIR/plan.err")"
	same now.adaptive.switches 6
	same now.adaptive.choosing 4
	same now.adaptive.assumed 6
	same now.adaptive.ports_mean 2.0
	same now.adaptive.choices 12
	same now.adaptive.fullest.groups 2
	same now.adaptive.load.max 6.0
	same now.adaptive.load.saturation 1.0
	same now.adaptive.ebb.lowest 1.0
	same then.adaptive.choosing 3
	same then.adaptive.ebb.lowest 0.5
	[ "$(json_get "$E2E_DIR/plan.json" transition.0.groups)" -gt 0 ] || fail "no Sets of groups"
	# of another maker
	sed 's/^vendid=0x2c9/vendid=0x66a/' "$E2E_DIR/small.net" \
		>"$E2E_DIR/others.net"
	page 0 '^SAFE: ' --topology "$E2E_DIR/others.net" \
		--set routing.adaptive.enabled=true
	grep -q '^adaptive    0 of 6 switches choose among ports: no switch can' \
		"$E2E_DIR/page" || fail "$(cat "$E2E_DIR/page")"
	plan --topology "$E2E_DIR/small.net"
	same now.adaptive -
}

# Every part of a disconnected fabric is routed and judged.
pieces() {
	plan --topology "$E2E_DIR/small.net" --fail spine1 --fail spine2
	[ $? = 1 ] || fail "not UNSAFE: $(cat "$E2E_DIR/plan.err")"
	same verdict.safe false
	same verdict.losses.0.kind hosts
	same verdict.losses.0.count 6
	same verdict.losses.0.list.0 h3
	same verdict.losses.1.kind parted
	same verdict.losses.1.count 48
	same impact.pairs_parted 48
	same pieces_then.2.fabric.hosts 2
	same pieces_then.2.now.ok true
	generate fattree2 --spines 1 --leaves 2 --hosts 3 |
		sed -e '/^#/d' -e 's/2c90/2ca0/g' \
			-e 's/"\(.-0*2\)c9/"\1ca/g' >>"$E2E_DIR/small.net"
	plan --topology "$E2E_DIR/small.net" || fail "$(cat "$E2E_DIR/plan.err")"
	same fabric.switches 6
	same pieces.0.fabric.switches 3
	same pieces.0.now.verified.unreachable 0
	same loose 0
	refused 2 "in another piece of the fabric" \
		--topology "$E2E_DIR/small.net" --fail 0x2ca0300000200
}

# The tables that heddled wrote, read by dump_fts, are those of the plan, byte
# for byte.
dump_agrees() {
	fabric demo "$E2E_DIR/fabric.net"
	sim_start "$E2E_DIR/fabric.net"
	sm_once || fail "no bring-up"
	on "$E2E_SM_HOST" ibnetdiscover >"$E2E_DIR/real.net"
	on "$E2E_SM_HOST" dump_fts >"$E2E_DIR/real.fts"
	plan --topology "$E2E_DIR/real.net" --dump-fts "$E2E_DIR/plan.fts" ||
		fail "$(cat "$E2E_DIR/plan.err")"
	tables "$E2E_DIR/real.fts" >"$E2E_DIR/real.txt"
	tables "$E2E_DIR/plan.fts" >"$E2E_DIR/plan.txt"
	diff "$E2E_DIR/real.txt" "$E2E_DIR/plan.txt" >"$E2E_DIR/diff" ||
		fail "the dumps differ: $(head -n 6 "$E2E_DIR/diff")"
	plan --topology "$E2E_DIR/real.net" --from "$E2E_DIR/real.fts" \
		--method auto || fail "$(cat "$E2E_DIR/plan.err")"
	same now.ok true
	same impact.entries 0
	same impact.pairs_moved 0
	same transition.0.kind nothing
	say "dump_fts: the same bytes"
	sim_stop
}

plan_input() {
	fabric demo "$E2E_DIR/demo.net"
	printf 'Switch\t8 "S-1"\n[9] "H-1"[1]\n' >"$E2E_DIR/bad.net"
	printf 'Unicast lids of switch guid 0x1 (x):\n0x0001 999\n' \
		>"$E2E_DIR/bad.fts"
	printf 'routing:\n  engins: [updn]\n' >"$E2E_DIR/bad.yaml"
	: >"$E2E_DIR/empty"
	printf 'Switch\0' >"$E2E_DIR/bytes"
	net="--topology $E2E_DIR/demo.net"
	refused 2 "--topology FILE is missing"
	refused 2 "unknown option '--wat'" --wat
	refused 2 "--vls needs --topology" --from live --vls 4
	refused 2 "--fail needs NODE[/PORT]" --fail
	refused 2 "bad.net:2:2: expected a port number" \
		--topology "$E2E_DIR/bad.net"
	refused 2 "empty: is empty" --topology "$E2E_DIR/empty"
	refused 2 "cannot be read" --topology "$E2E_DIR/none"
	refused 2 "bytes: is not text" --topology "$E2E_DIR/bytes"
	# shellcheck disable=SC2086
	{
		refused 2 "bad.fts:2:8: expected a port number" $net \
			--from "$E2E_DIR/bad.fts"
		refused 2 "bad.yaml:2:3: error: unknown key 'engins'" $net \
			--config "$E2E_DIR/bad.yaml"
		refused 2 "did you mean 'routing.load_limit'" $net \
			--set routing.load_limi=2
		refused 2 "routing.load_limit: 0.5 is out of range" $net \
			--set routing.load_limit=0.5
		refused 2 "'warp'" $net --engine warp
		refused 2 "not 1, 2, 4, 8 or 15, as VLs are: '3'" $net --vls 3
		refused 2 "--compare goes with" $net --compare --engine updn
		refused 2 "it needs distribution.allow_unsafe" $net \
			--set distribution.method=dynamic
		refused 2 "--fail nix: no node is called 'nix'" $net --fail nix
		refused 2 "--fail leaf1/99: 'leaf1' has no port 99" $net \
			--fail leaf1/99
		refused 2 "--drain h7: only switches and links between" $net \
			--drain h7
		refused 2 "--drain leaf1/1: only switches and links" $net \
			--drain leaf1/1
		refused 2 "'leaf' is in the name of " $net \
			--fail leaf
		refused 2 "unknown method 'magic'" $net --method magic
		refused 2 "--method and --rate need --fail" $net --method all
		refused 2 "cannot both use standard output" $net --dump-fts -
		refused 2 "--rebalance needs --from" $net --rebalance
		refused 2 "a name is missing after '--engine'" $net --engine ""
		refused 3 "" $net --from live
		"$B/heddlectl" plan $net >/dev/full 2>"$E2E_DIR/plan.err"
		[ $? = 2 ] || fail "a full output: not code 2"
		grep -q 'cannot write to standard output' "$E2E_DIR/plan.err" ||
			fail "a full output: nothing said"
	}
	"$B/heddlectl" plan --help | grep -q '^usage' || fail "plan --help"
	say "input: refused as it should be"
}

# told TEXT ARGUMENTS...: it makes a plan with that text in it
told() {
	told_text=$1
	shift
	"$B/heddlectl" plan --verbose "$@" >"$E2E_DIR/page" \
		2>"$E2E_DIR/plan.err" ||
		fail "plan $*: $(cat "$E2E_DIR/plan.err" "$E2E_DIR/page")"
	grep -q "$told_text" "$E2E_DIR/page" ||
		fail "plan $*: no '$told_text' in $(cat "$E2E_DIR/page")"
	grep -q '^verified .* 0 unreachable, 0 loops, 0 cyclic' "$E2E_DIR/page" ||
		fail "plan $*: $(grep '^verified' "$E2E_DIR/page")"
	say "bad: $told_text"
}

# Let the last link of switch $2 in file $1 lead to the last port of $3 instead.
rewire() {
	awk -v a="$2" -v b="$3" '
	FNR == 1 { pass++ }
	/^(Switch|Ca)/ { name = $0; sub(/^[^#]*# "/, "", name)
		sub(/".*/, "", name); id[name] = $3 }
	pass == 1 { next }
	/^\[8\]/ && name == a { print "[8]\t" id[b] "[8]\t# \"" b "\""; next }
	/^\[8\]/ && name == b { print "[8]\t" id[a] "[8]\t# \"" a "\""; next }
	/^\[[12]\]/ && name == "spine4" { next }
	{ print }' "$1" "$1"
}

plan_bad() {
	fabric demo "$E2E_DIR/demo.net"
	net="--topology $E2E_DIR/demo.net"
	# shellcheck disable=SC2086
	{
		told 'role-unknown: 0x0000000000001234: has a configured role,' \
			$net --set 'routing.roles.leaf=[leaf*, 0x1234]'
		told 'role-ambiguous: leaf1: the pattern "lea?1" gives it another' \
			$net --set 'routing.roles.leaf=[leaf?]' \
			--set 'routing.roles.root=[lea?1]'
		told 'top switch with 4 hosts' \
			$net --set 'routing.roles.leaf=[spine*]' \
			--set 'routing.roles.root=[leaf*]'
	}
	rewire "$E2E_DIR/demo.net" leaf1 leaf2 >"$E2E_DIR/linked.net"
	told 'leaves-linked: leaf1/8 - leaf2/8: two leaf switches linked' \
		--topology "$E2E_DIR/linked.net"
	generate line --n 4 --hosts 1 >"$E2E_DIR/line.net"
	told '^hops .* at most 3; 1: 50.0%, 2: 33.3%, 3: 16.7%$' \
		--topology "$E2E_DIR/line.net"
	generate torus --dim 1 --hosts 3 >"$E2E_DIR/one.net"
	told '^fabric .* 1 switch, 3 hosts' --topology "$E2E_DIR/one.net"
	cat >"$E2E_DIR/none.net" <<-'EOF'
		caguid=0x10
		Ca	1 "H-0000000000000010"		# "hostA"
		[1](11)	"H-0000000000000020"[1](21)	# lid 0 lmc 0 "hostB" lid 0 4xEDR

		caguid=0x20
		Ca	1 "H-0000000000000020"		# "hostB"
		[1](21)	"H-0000000000000010"[1](11)	# lid 0 lmc 0 "hostA" lid 0 4xEDR
	EOF
	told 'no switches: nothing to route' \
		--topology "$E2E_DIR/none.net"
	cat "$E2E_DIR/one.net" "$E2E_DIR/none.net" >"$E2E_DIR/two.net"
	told '^IN PIECES .*1 more piece' --topology "$E2E_DIR/two.net"
}

is_up() {
	[ "$(status_get generation)" -ge 1 ] 2>/dev/null
}

# named SWITCH HOST: the daemon has read the names of all nodes
named() {
	ctl topology --format ibnetdiscover >"$E2E_DIR/named" 2>/dev/null
	grep -q "\"$1\"" "$E2E_DIR/named" && grep -q "\"$2\"" "$E2E_DIR/named"
}

unlinked() {
	set -- "$(status_get generation)" "$1"
	[ "$1" -gt "$2" ] 2>/dev/null
}

# foretold: dump_fts reads the tables that the plan dumped
foretold() {
	on "$E2E_TOOL_HOST" dump_fts >"$E2E_DIR/real.fts"
	tables "$E2E_DIR/real.fts" >"$E2E_DIR/real.txt"
	tables "$E2E_DIR/plan.fts" >"$E2E_DIR/plan.txt"
	diff "$E2E_DIR/real.txt" "$E2E_DIR/plan.txt" >"$E2E_DIR/diff" ||
		fail "the dumps differ: $(head -n 6 "$E2E_DIR/diff")"
}

# A link fails: the daemon writes the blocks that the plan predicted, with that
# content. It has layers, LMC and roles that the plan is not given.
plan_live() {
	fabric demo "$E2E_DIR/fabric.net"
	sim_start "$E2E_DIR/fabric.net"
	E2E_CONF_MORE='
routing: {ftree: {layers: 2}, roles: {leaf: ["leaf*"], root: ["spine*"]}}'
	sm_start
	soon is_up || fail "the daemon did not come up"
	soon named spine4 h32 || fail "no names"
	rest
	HEDDLE_SOCKET=$E2E_SOCKET
	export HEDDLE_SOCKET
	plan --from live || fail "$(cat "$E2E_DIR/plan.err")"
	same now.ok true
	same impact.entries 0
	same transition.0.kind nothing
	net_cables "$E2E_DIR/fabric.net" | pick 1 1 >"$E2E_DIR/cable"
	read -r id port _ _ <"$E2E_DIR/cable"
	plan --from live --fail "0x${id#S-}/$port" \
		--dump-fts "$E2E_DIR/plan.fts" ||
		fail "$(cat "$E2E_DIR/plan.err")"
	same then.ok true
	same impact.nodes_lost 0
	said=$(json_get "$E2E_DIR/plan.json" impact.blocks)
	before=$(sent_so_far | cut -d' ' -f2)
	generation=$(status_get generation)
	sim_cmd "Unlink \"$id\"[$port]"
	soon unlinked "$generation" || fail "no new view"
	rest
	did=$(($(sent_so_far | cut -d' ' -f2) - before))
	[ "$did" = "$said" ] ||
		fail "the plan said $said blocks, heddled wrote $did"
	foretold
	same now.tree.tiers.0.configured 4
	say "live: $id port $port fails, $did blocks as planned"
	sm_stop
	sim_stop
}

# said TEXT: the log of the daemon
said() {
	grep -aqF -- "$1" "$E2E_DIR/sm.out"
}

# told_before FILE TEXT: the check and the plan of a configuration say that
told_before() {
	"$B/heddled" -c "$1" --check-config >"$E2E_DIR/page"
	[ $? = 1 ] || fail "--check-config: not code 1: $(cat "$E2E_DIR/page")"
	grep -qF "REFUSED     $2" "$E2E_DIR/page" ||
		fail "--check-config: $(cat "$E2E_DIR/page")"
	"$B/heddled" -c "$1" --check-config --json >"$E2E_DIR/check.json"
	[ "$(json_get "$E2E_DIR/check.json" errors.0.code)" = loss ] ||
		fail "--check-config --json: $(cat "$E2E_DIR/check.json")"
	page 1 "^UNSAFE: $2" --from live --config "$1"
}

# restarted: a restart with a file that takes LIDs leaves the fabric as it was
restarted() {
	sed 's/^fabric:/&\n  lmc: {hosts: 1}/' "$E2E_DIR/new.yaml" >"$E2E_CONF"
	sm_launch "$B/heddled" -c "$E2E_CONF"
	soon is_up || fail "the daemon did not come up again"
	said 'config: the file is refused' ||
		fail "not refused: $(cat "$E2E_DIR/sm.out")"
	ctl status >"$E2E_DIR/page"
	[ $? = 1 ] || fail "status: not code 1: $(cat "$E2E_DIR/page")"
	grep -q '^config      REFUSED, .*17 ports are renumbered' \
		"$E2E_DIR/page" || fail "$(cat "$E2E_DIR/page")"
	grep -q '^ALARM .*the configuration was refused' "$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
	ctl metrics | grep -q '^heddle_config_refused 1$' || fail "no metric"
	ctl pkeys h32 >"$E2E_DIR/page"
	grep -q '0x7fff limited' "$E2E_DIR/page" ||
		fail "no partitions: $(cat "$E2E_DIR/page")"
	soon named spine4 h32 || fail "no names"
	rest
	told_before "$E2E_CONF" '17 ports are renumbered, the first'
	sed -i 's/^fabric:/&\n  accept_loss: 17/' "$E2E_CONF"
	kill -HUP "$E2E_SM_PID"
	soon said 'as fabric.accept_loss permits' || fail "not accepted"
	rest
	ctl status >"$E2E_DIR/page" || fail "$(cat "$E2E_DIR/page")"
	sm_stop
}

# The first partition of a fabric makes all other ports limited members of the
# default one; a higher LMC needs LIDs that neighbours have.
plan_loss() {
	fabric demo "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	sm_start
	soon is_up || fail "the daemon did not come up"
	soon named spine4 h32 || fail "no names"
	rest
	HEDDLE_SOCKET=$E2E_SOCKET
	export HEDDLE_SOCKET
	cp "$E2E_CONF" "$E2E_DIR/old.yaml"
	{
		cat "$E2E_DIR/old.yaml"
		echo 'partitions: {t: {pkey: 0x101, members: {"h1*": full}}}'
	} >"$E2E_DIR/new.yaml"
	sed 's/^fabric:/&\n  lmc: {hosts: 1}/' "$E2E_DIR/old.yaml" \
		>"$E2E_DIR/lmc.yaml"
	chmod o= "$E2E_DIR/new.yaml" "$E2E_DIR/lmc.yaml"
	told_before "$E2E_DIR/new.yaml" \
		'31 ports lose others: 420 pairs of ports may not talk any more'
	told_before "$E2E_DIR/lmc.yaml" '17 ports are renumbered, the first'
	generation=$(status_get generation)
	cp "$E2E_DIR/new.yaml" "$E2E_CONF"
	kill -HUP "$E2E_SM_PID"
	soon said 'config: reload failed' || fail "the reload is not refused"
	said '31 become limited members of the default partition, 0x7fff' ||
		fail "not said: $(cat "$E2E_DIR/sm.out")"
	[ "$(status_get generation)" = "$generation" ] || fail "something changed"
	# the same, knowingly
	sed 's/^fabric:/&\n  accept_loss: 31/' "$E2E_DIR/new.yaml" >"$E2E_CONF"
	"$B/heddled" -c "$E2E_CONF" --check-config >"$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
	grep -q '^LOSS        31 ports lose' "$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
	kill -HUP "$E2E_SM_PID"
	soon said 'config: partitions was={}' || fail "the reload is refused"
	said 'as fabric.accept_loss permits' || fail "nothing said"
	rest
	sm_stop
	restarted
	"$B/heddled" -c "$E2E_CONF" --check-config >"$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
	grep -q '^fabric      not known' "$E2E_DIR/page" ||
		fail "$(cat "$E2E_DIR/page")"
	say "loss: told, refused, accepted"
	unserve
}

# lone N: the daemon has counted N nodes with a single point of failure
lone() {
	[ "$(status_get multi_port.single_points)" = "$1" ]
}

# switches N: the daemon has N switches, and nothing left to do
switches() {
	at_rest &&
		[ "$(json_get "$E2E_DIR/status.json" fabric.switches)" = "$1" ]
}

# The entries of a spine that was absent stay on others, and the plan knows
# beforehand what would return them.
rebalanced() {
	sim remove spine1 >/dev/null || fail "sim: $?"
	soon switches 6 || fail "spine1 is still there"
	sim return spine1 >/dev/null || fail "sim: $?"
	soon switches 7 || fail "spine1 did not come back"
	ctl plan --from live --json --rebalance >"$E2E_DIR/plan.json" ||
		fail "plan: $?"
	ctl rebalance --wait --timeout 120 >"$E2E_DIR/page" ||
		fail "rebalance: $(cat "$E2E_DIR/page")"
	same impact.entries "$(status_get change.entries)"
	same then.load.max "$(status_get verified.load_max)"
	[ "$(status_get change.entries)" -gt 0 ] || fail "nothing to see"
	say "multi-port: rebalanced as planned, $(status_get change.entries) entries"
}

# Hosts with two ports lose their spines: the hosts that depend on the last one
# are counted, named, and reported as in the plan.
plan_homes() {
	generate fattree2 --spines 3 --leaves 4 --hosts 3 --rails 2 \
		>"$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	sm_start
	soon lone 0 || fail "the daemon did not come up"
	soon named spine3 h12 || fail "no names"
	rebalanced
	soon named spine1 h12 || fail "no names"
	ctl plan --from live --json --fail spine1 --fail spine2 \
		>"$E2E_DIR/plan.json" || fail "plan: $?"
	same then.multi_port.single_points 12
	sim remove spine1 >/dev/null || fail "sim: $?"
	sim remove spine2 >/dev/null || fail "sim: $?"
	soon lone 12 || fail "not 12: $(status_get multi_port.single_points)"
	same then.multi_port.points.0.name "$(status_get multi_port.points.0.name)"
	same then.multi_port.points.0.nodes "$(status_get multi_port.points.0.nodes)"
	[ "$(ctl tree --list multi-port | grep -c '"spine3" cuts off')" = 12 ] ||
		fail "$(ctl tree --list multi-port)"
	ctl metrics >"$E2E_DIR/metrics"
	grep -q '^heddle_nodes_single_point_of_failure 12$' "$E2E_DIR/metrics" ||
		fail "$(grep single_point "$E2E_DIR/metrics")"
	say "multi-port: 12 of 12 hang on spine3, as planned"
}

case ${1:-} in
verdict | trees | input | live | bad | loss | homes) ;;
*)
	echo "usage: plan.sh verdict|trees|input|live|bad|loss|homes" >&2
	exit 2
	;;
esac
e2e_init
"plan_$1"
say "PASS"
