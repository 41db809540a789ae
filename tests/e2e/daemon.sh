#!/bin/sh
# heddled as a daemon on heddle-sim, through libheddle-umad.so. usage:
# daemon.sh TEST-FABRIC
#	quarantine	a switch that hangs goes into quarantine and comes back
#	reboot		switches that reboot get their tables and LIDs again, and
#			and so do all after the SM's own link was down
#	reload		SIGHUP with a good and with a bad configuration
#	distrust	a second master, drift of tables and SL2VL blocks, a
#			switch that acknowledges and does not store
#	adaptive	adaptive routing that another manager left on, and a
#			switch that keeps it
#	events		links and nodes that go and come are logged, counted,
#			listed as events with what followed, and as missing
#			until they are back; events outlive kill -9 and a file
#			that cannot be written
#	verify		the fabric against a plan of its cabling: links that are
#			cut, swapped and slow, a switch that is gone, drained or
#			replaced, and plans that cannot be used
#	drain		what is drained is pulled without a packet lost
#	health		counters that the simulator is told are listed for
#			their links, bad links are events, and no link is bad
#			because of a counter that was reset; a path names them
#	names		nothing shows characters of names that hide or turn text
#	ctl		what heddlectl says about wrong words and ambiguous
#			names, as JSON too, and its pages on a terminal
#	record		a recording of a link that failed and of kill -9 is
#			replayed with the same messages, up to a time and with
#			the path of then; keys are not in it; what is changed,
#			cut, of another version or missing is refused
#	told		impossible roles, an answer with a wrong signature,
#			unusable state files
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh
# shellcheck source=tests/e2e/daemons.sh
. tests/e2e/daemons.sh

test_quarantine() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	soon named a spine2 || fail "no names"
	rests a
	sim hang spine2 on || fail "hang"
	tell a sweep >/dev/null || fail "sweep"
	becomes a quarantined.0.name spine2
	becomes a quarantined.1.name -
	metric a 'heddle_quarantined 1'
	metric a 'heddle_alarm 1'
	says a 1 '^ALARM .*1 quarantined node, first .*"spine2": '
	metric a 'heddle_quarantined_info{.*name="spine2",reason="..*"} 1'
	sim hang spine2 off || fail "hang off"
	becomes a quarantined.0.name -
	in_order "it answers again"
	becomes a sweeps.last_ok true
}

test_reboot() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	rests a
	lids "$E2E_DIR/lids.before"
	for n in spine1 leaf1 leaf5; do # leaf1 is the daemon's own
		sim reboot $n || fail "reboot"
		in_order "$n started anew"
		rests a
	done
	sim link h1 down || fail "link"
	soon grep -q 'our own link went down' "$E2E_DIR/a/log" ||
		fail "our own link is down, and nobody noticed"
	becomes a fabric.switches 0
	sim link h1 up || fail "link"
	in_order "our own cable back"
	lids "$E2E_DIR/lids.after"
	[ -s "$E2E_DIR/lids.before" ] || fail "no LIDs"
	cmp "$E2E_DIR/lids.before" "$E2E_DIR/lids.after" || fail "other LIDs"
}

# named NAME NODE: it knows that node's name
named() {
	tell "$1" topology | grep -q "$2"
}

# reload NAME: SIGHUP
reload() {
	kill -HUP "$(cat "$E2E_DIR/$1/pid")" || fail "no daemon"
}

test_reload() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	becomes a lids.used 44
	# half of the LIDs move
	printf '  accept_loss: 32\n  lmc:\n    hosts: 1\n' >>"$E2E_DIR/a/yaml"
	reload a
	becomes a config.reloads 1
	becomes a lids.used 76
	in_order "LMC 1"
	lists a events 'config: read again, options changed 2: fabric.lmc.hosts was=0 is=1, fabric.accept_loss was=0 is=32'
	printf '  lmcs: 2\n' >>"$E2E_DIR/a/yaml"
	reload a
	becomes a config.bad_reloads 1
	logged a 'yaml:1[0-9]:3: .*lmcs'
	[ "$(grep -c 'yaml:1[0-9]:3: .*lmcs' "$E2E_DIR/a/log")" = 1 ] ||
		fail "the mistake is logged more than once"
	lists a events 'config: reload failed, the old configuration stays in force: .*yaml:1[0-9]:3: .*lmcs'
	metric a 'heddle_config_reloads_refused_total 1'
	metric a 'heddle_config_refused 1'
	metric a 'heddle_config_refused_info{reason=".*yaml:1[0-9]:3: .*"} 1'
	says a 1 '^config .*REFUSED, .*yaml:1[0-9]:3: .*lmcs'
	is a lids.used 76 || fail "another configuration: $IS"
	is a role master || fail "role $IS"
	echo '  accept_loss: 32' | config a 5
	reload a
	becomes a config.reloads 3
	is a config.bad_reloads 1 || fail "bad reloads: $IS"
	metric a 'heddle_config_refused 0'
	becomes a lids.used 44
	in_order "LMC 0 again"
	mkdir "$E2E_DIR/a/yaml.d"
	printf 'fabric:\n  lmc:\n    hosts: 1\n' >"$E2E_DIR/a/yaml.d/50.yaml"
	reload a
	becomes a lids.used 76
	tell a config show --origin |
		grep -q '^fabric.lmc.hosts  *1  *[^ ]*/a/yaml.d/50.yaml:3$' ||
		fail "lmc.hosts comes from elsewhere"
	rm "$E2E_DIR/a/yaml.d/50.yaml"
	reload a
	becomes a lids.used 44
	in_order "LMC 0 without the drop-in"
	sim link h1/1 down || fail "link"
	says a 1 '^ALARM .*our own port has no link: the fabric is unreachable'
	lists a events 'port: our own link went down'
	sim link h1/1 up || fail "link"
	becomes a alarm ""
	lists a events 'port: our own link came up'
	in_order "our own cable is back"
	tell a sweep >/dev/null || fail "sweep"
	lists a events 'command: sweep by root (uid 0)'
	halt a
	sim link h1/1 down || fail "link"
	daemon a h1
	says a 1 '^ALARM .*our own port has no link: the fabric is unreachable'
	metric a 'heddle_alarm 1'
	sim link h1/1 up || fail "link"
	becomes a alarm ""
	in_order "started without a link"
	halt a
	tell a metrics --output "$E2E_DIR/a/prom" 2>/dev/null
	[ $? = 3 ] || fail "not unreachable"
	grep -q '^heddle_up 0$' "$E2E_DIR/a/prom" || fail "not down"
}

# lists NAME COMMAND TEXT: what heddlectl COMMAND prints has that text
lists() {
	soon is_listed "$@" || fail "$2 has no '$3': $(cat "$E2E_DIR/$1/page")"
	say "$1: $2: $(grep "$3" "$E2E_DIR/$1/page" | tail -n 1)"
}

is_listed() {
	tell "$1" "$2" >"$E2E_DIR/$1/page" 2>&1
	grep -q "$3" "$E2E_DIR/$1/page"
}

# wrong STATUS TEXT ARGUMENT...: heddlectl ends so and says the text, with
# --json as an object, wherever that stands
wrong() {
	wr_want=$1 wr_text=$2
	shift 2
	for wr_json in '' --json; do
		# shellcheck disable=SC2086
		"$B/heddlectl" $wr_json --socket "$E2E_DIR/a/sock" "$@" \
			>"$E2E_DIR/out" 2>"$E2E_DIR/err"
		wr_rc=$?
		[ $wr_rc = "$wr_want" ] ||
			fail "heddlectl $*: $wr_rc: $(cat "$E2E_DIR/err")"
		grep -qF -- "$wr_text" "$E2E_DIR/err" ||
			fail "heddlectl $*: $(cat "$E2E_DIR/err")"
		[ -n "$wr_json" ] || continue
		wr_json=$(json_get "$E2E_DIR/out" ok)
		wr_json=$wr_json,$(json_get "$E2E_DIR/out" code)
		wr_json=$wr_json,$(json_get "$E2E_DIR/out" error)
		case $wr_json in
		false,[a-z]*,?*) ;;
		*) fail "heddlectl --json $*: $(cat "$E2E_DIR/out")" ;;
		esac
	done
}

# page COLUMNS ARGUMENT...: the page on a terminal of this width
page() {
	pg_columns=$1
	shift
	TERM=xterm script -qec "stty cols $pg_columns; $B/heddlectl --socket \
		$E2E_DIR/a/sock $*" /dev/null </dev/null | tr -d '\r'
}

test_ctl() {
	wrong 3 'heddled is not running' status
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	soon named a spine2 || fail "no names"
	rests a
	wrong 2 "unknown command 'statsu'; did you mean 'status'?" statsu
	wrong 2 "unknown command 'xyzzy'" xyzzy
	wrong 2 "unknown command 'explain': see heddlectl change" explain h1 h2
	wrong 2 "routes: unknown option '--swich'; did you mean '--switch'?" \
		routes --swich leaf1
	wrong 2 "routes: unknown option '-5'" routes -5 1
	wrong 2 "pkeys: expected A [B]" pkeys
	wrong 2 "unexpected argument 'c'" pkeys a b c
	wrong 2 "plan: unknown option '--tropology'; did you mean '--topology'?" plan --tropology x
	wrong 2 "not a number: 'x'" change --rate x
	wrong 1 "no node is called 'leef1'; did you mean 'leaf1'?" routes leef1
	wrong 1 "no node is called '-5'" routes -- -5
	wrong 1 "'pine' is in the name of 4 nodes: use a GUID" routes pine
	wrong 4 "'pine' is in the name of 4 nodes: use a GUID" drain pine
	wrong 1 '"spine4"' routes pine
	for c in status topology tree routes rebalance groups change \
		pkeys partitions events links path metrics sweep plan import; do
		for h in "help $c" "$c --help" "$c -h"; do
			# shellcheck disable=SC2086
			"$B/heddlectl" $h >"$E2E_DIR/out" || fail "$h"
			grep -q "^  $c" "$E2E_DIR/out" || fail "$h"
			[ "$(wc -l <"$E2E_DIR/out")" -lt 25 ] || fail "$h"
		done
	done
	tell a rebalance --wait >"$E2E_DIR/out" || fail "rebalance"
	tell a change | grep -q '^change ' || fail "change"
	tell a pkeys h1 h2 | grep -q '^may talk' || fail "pkeys"
	# a node with a long name: columns stay aligned
	sim rename h20 "h20 with a name that is longer than any column" ||
		fail "rename"
	soon named a "h20 with a name that is longer than any column" ||
		fail "no new name"
	[ "$(tell a routes --switch leaf5 | awk 'NR > 2' |
		sed 's/ *-> .*//' | awk '{ print length($0) }' |
		sort -u | wc -l)" = 1 ] ||
		fail "columns: $(tell a routes --switch leaf5)"
	if command -v script >/dev/null; then
		page 60 status >"$E2E_DIR/out"
		grep -q '^role  *master' "$E2E_DIR/out" ||
			fail "terminal: $(cat "$E2E_DIR/out")"
		[ "$(awk '{ print length($0) }' "$E2E_DIR/out" |
			sort -n | tail -n 1)" -le 60 ] ||
			fail "too wide: $(cat "$E2E_DIR/out")"
		[ "$(tell a status | wc -l)" -lt "$(wc -l <"$E2E_DIR/out")" ] ||
			fail "nothing was too long"
	fi
	halt a
}

test_events() {
	leaf1_5='"leaf1" (0x[0-9a-f]*) port 5 - "spine1" (0x[0-9a-f]*) port 1'
	named='"leaf1" port 5 - "spine1" port 1'
	answered='rerouted in .*: direct, blocks [0-9]'
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	soon named a spine2 || fail "no names"
	rests a
	lists a events ' 1  start: heddled'
	lists a events 'change: start: written in .*, engine ftree'
	# with a process id where halt_all finds it
	mkdir "$E2E_DIR/follower"
	"$B/heddlectl" --socket "$E2E_DIR/a/sock" events --follow \
		>"$E2E_DIR/follower/out" 2>&1 </dev/null &
	echo $! >"$E2E_DIR/follower/pid"
	lists a links 'missing: 0 nodes, 0 links'
	lists a links 'below what both ends support: 0 links'
	tell a routes h1 h20 >"$E2E_DIR/a/path" || fail "no path"
	if [ "$(grep -c '4x HDR 200 Gb/s, load [1-9]' "$E2E_DIR/a/path")" != 4 ] ||
		! grep -q '^back$' "$E2E_DIR/a/path"; then
		fail "rates, loads, way back: $(cat "$E2E_DIR/a/path")"
	fi
	sim link leaf1/5 down || fail "link"
	logged a "link: down $leaf1_5; $answered"
	lists a events "link: down $named; $answered"
	lists a links "link $leaf1_5, since"
	says a 0 '^missing *0 nodes, 1 link'
	metric a 'heddle_missing{kind="links"} 1'
	metric a 'heddle_link_transitions_total{transition="down"} 1'
	halt a KILL
	daemon a h1
	lists a links "link $leaf1_5, since"
	says a 0 '^missing *0 nodes, 1 link'
	lists a events 'start: heddled .*, after a previous run that did not'
	lists a events "link: down $named; $answered"
	sim link leaf1/5 up || fail "link"
	logged a "link: up $leaf1_5, was down for .*; $answered"
	lists a links 'missing: 0 nodes, 0 links'
	rests a
	sim remove spine2 || fail "remove"
	logged a 'node: gone "spine2" (0x[0-9a-f]*), was linked to "leaf1".* and by 7 more'
	lists a links 'missing: 1 node, 0 links'
	tell a links accept >/dev/null || fail "accept"
	lists a links 'missing: 0 nodes, 0 links'
	halt a
	daemon a h1
	lists a links 'missing: 0 nodes, 0 links'
	soon named a spine1 || fail "no names"
	rests a
	sim return spine2 || fail "return"
	logged a 'node: new "spine2" (0x[0-9a-f]*), linked to "leaf'
	rests a
	tell a --json events --since 0 | grep -q '"kind":"node-new"' ||
		fail "no event as JSON"
	chosen_events
	soon grep -q 'node: new "spine2"' \
		"$E2E_DIR/follower/out" ||
		fail "not followed: $(cat "$E2E_DIR/follower/out")"
	halt follower
	unwritten_events
}

# Of those of test_events: by port, by kind, since when, in files.
chosen_events() {
	tell a events --port leaf1/5 >"$E2E_DIR/a/chosen"
	if [ "$(grep -c "$named" "$E2E_DIR/a/chosen")" != 2 ] ||
		[ "$(wc -l <"$E2E_DIR/a/chosen")" != 2 ]; then
		fail "by port: $(cat "$E2E_DIR/a/chosen")"
	fi
	tell a events --kind node-gone --since 1h >"$E2E_DIR/a/chosen"
	[ "$(wc -l <"$E2E_DIR/a/chosen")" = 1 ] ||
		fail "by kind: $(cat "$E2E_DIR/a/chosen")"
	tell a events --since 0 >"$E2E_DIR/a/all"
	[ "$(awk '{ print $3 }' "$E2E_DIR/a/all")" = \
		"$(seq "$(wc -l <"$E2E_DIR/a/all")")" ] ||
		fail "numbers: $(cat "$E2E_DIR/a/all")"
	"$B/heddlectl" events --file "$E2E_DIR/a/state/events" \
		>"$E2E_DIR/a/file"
	cmp "$E2E_DIR/a/all" "$E2E_DIR/a/file" || fail "the file has others"
	wrong 2 "did you mean 'link-down'" events --kind link-dwon
	wrong 2 'neither the number of an event nor a time' events --since soon
	wrong 2 'waits for a daemon' events --file x --follow
	printf '{"seq":900,"ti' >>"$E2E_DIR/a/state/events"
	"$B/heddlectl" events --file "$E2E_DIR/a/state/events" 2>&1 |
		grep -q 'events: the last line was cut' || fail "a cut is not told"
}

# A file that cannot be opened is told once, and written when it can be.
unwritten_events() {
	halt a
	mv "$E2E_DIR/a/state/events" "$E2E_DIR/a/state/events.1"
	mkdir "$E2E_DIR/a/state/events"
	daemon a h1
	logged a 'events: NOT WRITTEN, kept in memory: .*events: cannot be opened'
	says a 0 '^events *NOT WRITTEN'
	lists a events 'after a previous run that did not end in order'
	rmdir "$E2E_DIR/a/state/events"
	logged a 'events: written again lost=0'
	"$B/heddlectl" events --file "$E2E_DIR/a/state/events" |
		grep -q 'start: heddled' || fail "events are lost"
	[ "$(grep -c 'events: NOT WRITTEN' "$E2E_DIR/a/log")" = 1 ] ||
		fail "told more than once"
}

# What is drained is pulled with 0 packets lost, and stays drained over a restart.
test_drain() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	soon named a spine2 || fail "no names"
	rests a
	tell a drains | grep -q '^Nothing is drained$' || fail "$(tell a drains)"
	sim traffic 500 >/dev/null || fail "no traffic"
	tell a drain spine2 --for 2h --reason "fan tray" >"$E2E_DIR/out" ||
		fail "not clear: $(cat "$E2E_DIR/out")"
	grep -q 'no route leads over it: it may be pulled' "$E2E_DIR/out" ||
		fail "$(cat "$E2E_DIR/out")"
	grep -q 'ends in 2.0 h: fan tray$' "$E2E_DIR/out" ||
		fail "$(cat "$E2E_DIR/out")"
	lists a events 'maintenance: drained "spine2".*, for 2.* by .*: fan tray$'
	metric a 'heddle_drains{state="clear"} 1'
	tell a routes h2 h32 | grep -q ', 1 link drained$' ||
		fail "$(tell a routes h2 h32)"
	sim remove spine2 || fail "remove"
	logged a 'node: gone "spine2"'
	rests a
	dr_said=$(sim traffic off)
	case $dr_said in
	*' 0 lost'*) ;;
	*) fail "packets were lost: $dr_said" ;;
	esac
	halt a
	daemon a h1
	soon named a spine1 || fail "no names"
	tell a drains spine2 | grep -q 'not there now$' ||
		fail "$(tell a drains)"
	sim return spine2 || fail "return"
	logged a 'node: new "spine2"'
	rests a
	tell a drains spine2 | grep -q 'it may be pulled$' ||
		fail "$(tell a drains)"
	tell a drain leaf1 --force 2>"$E2E_DIR/out"
	[ $? = 4 ] || fail "our own leaf: not code 4"
	tell a drain leaf3 2>"$E2E_DIR/out"
	[ $? = 4 ] || fail "a leaf: not code 4"
	grep -q "would cut 4 host ports off when pulled: 'h9', 'h10'" \
		"$E2E_DIR/out" || fail "$(cat "$E2E_DIR/out")"
	tell a drain leaf3 --force >"$E2E_DIR/out" || fail "leaf3 by force"
	grep -q 'when it is pulled, 4 host ports are cut off$' \
		"$E2E_DIR/out" || fail "$(cat "$E2E_DIR/out")"
	tell a undrain leaf3 >/dev/null || fail "undrain leaf3"
	tell a drain spine1 --for soon 2>"$E2E_DIR/out"
	[ $? = 2 ] || fail "--for soon: not code 2"
	drain_of_twins
	tell a undrain spine2 | grep -q '^Undrained$' || fail "undrain"
	lists a events 'maintenance: undrained "spine2"'
	tell a undrain spine2 2>/dev/null
	[ $? = 4 ] || fail "undrained twice: not code 4"
	in_order "undrained"
	drain_outlives_master
	halt b
}

# a name that two nodes have: neither is drained, both are told
drain_of_twins() {
	sim rename spine4 spine3 || fail "rename"
	tell a sweep --wait >/dev/null
	soon not_named a spine4 || fail "it has its name"
	tell a drain spine3 >"$E2E_DIR/out" 2>&1
	code=$?
	[ $code = 4 ] || fail "a name of two: code $code"
	grep -q "'spine3' is in the name of 2 nodes: use a GUID, .*\"spine3\", 0x[0-9a-f]* \"spine3\"" \
		"$E2E_DIR/out" || fail "a name of two: $(cat "$E2E_DIR/out")"
	sim rename spine4 spine4 || fail "rename"
	tell a sweep --wait >/dev/null
	soon named a spine4 || fail "it has no name"
}

not_named() {
	! named "$@"
}

# A standby has the drains of its master, and no others.
drain_outlives_master() {
	config b 3 </dev/null
	daemon b h32
	becomes b role standby
	tell a drain spine1 --reason "fan tray" >/dev/null || fail "drain spine1"
	is b drains.all 1 || fail "the standby has $IS drains"
	tell b drains >"$E2E_DIR/out"
	grep -q 'DO NOT PULL unless the master says so' "$E2E_DIR/out" ||
		fail "$(cat "$E2E_DIR/out")"
	tell b undrain spine1 2>"$E2E_DIR/out"
	[ $? = 4 ] || fail "a standby undrains: not code 4"
	grep -q 'this is a standby, .* ask the master 0x[0-9a-f]* "h1"' \
		"$E2E_DIR/out" || fail "$(cat "$E2E_DIR/out")"
	sim traffic 500 >/dev/null || fail "no traffic"
	halt a KILL
	becomes b role master
	in_order "taken over"
	rests b
	tell b rebalance >/dev/null || fail "rebalance"
	rests b
	tell b drains spine1 | grep -q 'it may be pulled$' ||
		fail "$(tell b drains)"
	for d in 9 13 17 21 25 29; do
		at h5 ibtracert "$(lid_of h5)" "$(lid_of "h$d")" \
			>"$E2E_DIR/trace" 2>&1 || fail "ibtracert to h$d"
		grep -q "\"h$d" "$E2E_DIR/trace" || fail "$(cat "$E2E_DIR/trace")"
		grep 'spine1' "$E2E_DIR/trace" && fail "h5 to h$d by spine1"
	done
	sim remove spine1 || fail "remove"
	logged b 'node: gone "spine1"'
	dr_said=$(sim traffic off)
	case $dr_said in
	*' 0 lost'*) ;;
	*) fail "packets were lost: $dr_said" ;;
	esac
}

# verifies CODE TEXT [argument...]: heddlectl verify ends so, soon, and says it
verifies() {
	soon verified "$@" || fail "verify: not $1 '$2': $(cat "$E2E_DIR/out")"
	say "verify: $2"
}

verified() {
	ve_code=$1
	ve_text=$2
	shift 2
	tell a verify "$@" >"$E2E_DIR/out" 2>&1
	[ $? = "$ve_code" ] && grep -q "$ve_text" "$E2E_DIR/out"
}

test_verify() {
	# the link at port 5 of leaf1 is planned to do more than it does
	sed '/^Switch.*"leaf1"/,/^$/s/^\(\[5\].*\)4xHDR$/\14xNDR/
		/^Switch.*"spine1"/,/^$/s/^\(\[1\].*\)4xHDR$/\14xNDR/' \
		"$E2E_DIR/fabric.net" >"$E2E_DIR/slow"
	cp "$E2E_DIR/fabric.net" "$E2E_DIR/a.plan"
	"$B/heddle-sim" generate fattree2 --spines 2 --leaves 4 --hosts 2 \
		2>/dev/null | sed 's/0002c902\|0002c903/0002c9ff/g; s/2c902/2c9ff/g; s/2c903/2c9ff/g; s/"[lsh][a-z]*\([0-9]\)"/"other\1"/g' \
		>"$E2E_DIR/other"
	config a 5 <<-EOF
		  expected: ../a.plan
	EOF
	daemon a h1
	in_order bring-up
	verifies 0 '^as planned  44 of 44 planned nodes, 64 of 64 planned links$'
	says a 0 "^cabling     as planned, by $E2E_DIR/a/../a.plan$"
	lists a events 'cabling: as planned, by .*a.plan$'
	verifies 1 '^  slow link "leaf1" port 5 - .*: 4x HDR, 200 Gb/s; planned 4x NDR' \
		"$E2E_DIR/slow"
	verifies 0 '^wrote .*: 44 nodes, 64 links$' --write "$E2E_DIR/now"
	verifies 0 '^as planned' "$E2E_DIR/now" --topology "$E2E_DIR/fabric.net"
	at h2 ibnetdiscover >"$E2E_DIR/theirs" 2>/dev/null || fail "ibnetdiscover"
	verifies 0 '^as planned  44 of 44 .* 64 of 64 ' "$E2E_DIR/theirs"
	soon named a spine2 || fail "no names"
	rests a
	sim swap leaf1/5 leaf1/6 || fail "swap"
	verifies 1 '^  swapped "leaf1" port 5 and "leaf1" port 6: planned to lead to "spine1" port 1 and "spine2" port 1$'
	verifies 1 '^deviations  1: 1 swapped$'
	lists a events 'cabling: swapped "leaf1" port 5 and "leaf1" port 6'
	rests a
	sim swap leaf1/5 leaf1/6 || fail "swap"
	lists a events 'cabling: over: swapped "leaf1" port 5 .*, lasted '
	verifies 0 '^as planned'
	rests a
	sim link leaf2/6 down || fail "link"
	verifies 1 '^  missing link "spine2" port 2 - "leaf2" port 6$'
	metric a 'heddle_deviations{kind="missing"} 1'
	says a 0 '^cabling     1 deviation: 1 missing; list: heddlectl verify$'
	tell a drain spine2 >/dev/null || fail "drain"
	verifies 1 '^  missing link "spine2" port 2 .*; drained$'
	sim remove spine2 || fail "remove"
	verifies 1 '^  missing switch "spine2" with its 8 links; drained$'
	verifies 1 '^deviations  1: 1 missing-node; 1 of them drained$' \
		"$E2E_DIR/now"
	sim replace spine2 0x0002c90200123456 || fail "replace"
	verifies 1 '^  replaced switch "spine2" (.*): "spine2" (0x0002c90200123456) is in its place; drained$'
	verify_twins
	bad_plans
	halt a
}

# host_guid N: of the n-th host
host_guid() {
	sed -n 's/^caguid=\(0x[0-9a-f]*\).*/\1/p' "$E2E_DIR/fabric.net" |
		sed -n "$1p"
}

# two hosts have one GUID: which one, and where they are
verify_twins() {
	guid=$(host_guid 2)
	sim guid h3 "$guid" || fail "guid"
	rests a
	tell a sweep >/dev/null || fail "sweep"
	rests a
	verifies 2 "two nodes have the GUID 0x0*${guid#0x}: \"h2\" in line [0-9]*, at port 2 of \"leaf1\", and \"h3\" in line [0-9]*, at port 3 of \"leaf1\"; .*: give one another GUID" \
		"$E2E_DIR/now"
	sim guid h3 "$(host_guid 3)" || fail "guid"
	rests a
	tell a sweep >/dev/null || fail "sweep"
	rests a
	verifies 1 '^deviations  2: 1 replaced, 1 missing; ' "$E2E_DIR/now"
}

# plans that cannot be used: refused by a reload, and an alarm at a start
bad_plans() {
	cp "$E2E_DIR/now" "$E2E_DIR/a.plan"
	echo '[1] "S-00' >>"$E2E_DIR/a.plan"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	says a 1 '^ALARM .*a.plan:[0-9]*:5: expected the id of the other node'
	verifies 1 replaced
	verifies 2 'this is the plan of another fabric: of its 14 nodes, 0 are' \
		"$E2E_DIR/other"
	halt a
	daemon a h1
	says a 1 '^cabling     NOT COMPARED with its plan: .*a.plan:[0-9]*:5: '
	verifies 2 'a.plan:[0-9]*:5: expected the id of the other node'
	cp "$E2E_DIR/other" "$E2E_DIR/a.plan"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	says a 1 '^ALARM .*this is the plan of another fabric'
	cp "$E2E_DIR/now" "$E2E_DIR/a.plan"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	verifies 1 replaced
	becomes a alarm ""
}

# links_show NAME TEXT [option]: heddlectl links shows that soon
links_show() {
	soon links_shown "$@" || fail "links ${3:-} shows no '$2':" \
		"$(tell "$1" links ${3:+"$3"})"
	say "links ${3:-}: $2"
}

links_shown() {
	tell "$1" links ${3:+"$3"} | grep -q "$2"
}

test_health() {
	config a 5 <<-'EOT'
		health: {interval: 1s}
	EOT
	daemon a h1
	in_order bring-up
	soon named a spine2 || fail "no names"
	links_show a '^counters are not read: health.enabled is false$'
	links_show a '^found: 0 of 64 links$' --slow
	metric a 'heddle_links_degraded 0'
	sim counter leaf1/5 LinkDownedCounter 200 || fail counter
	sim counter leaf2/6 PortFECCorrectedSymbolCounter 5 || fail counter
	sim agent leaf2 fec || fail agent
	sed -i 's/health: {/health: {enabled: true, /' "$E2E_DIR/a/yaml"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	becomes a health.read 128
	links_show a '^found: 0 of 64 links$' --errors
	sim counter leaf2/6 SymbolErrorCounter 3 || fail counter
	sim counter spine1/1 SymbolErrorCounter 800 || fail counter
	sim counter h9/1 PortXmitDiscards 70000 || fail counter
	links_show a '^    leaf2 port 6: symbol errors 3, 3, 3; ' --errors
	links_show a '^    h9 port 1: packets discarded 65535, 65535, 65535; counts no further' --errors
	links_show a '^    bad: 800 symbol errors in an hour' --bad
	links_show a '^bad: 1 link; list'
	logged a 'link: bad "leaf1" (0x[0-9a-f]*) port 5 - "spine1" (0x[0-9a-f]*) port 1: 800 symbol'
	says a 0 '^health *128 of 128 ports read .* 1 bad link'
	metric a 'heddle_links_bad 1'
	metric a 'heddle_link_verdicts_total{verdict="bad"} 1'
	metric a 'heddle_health_ports{state="read"} 128'
	# what error correction does is told by devices that count it
	links_show a '^    h9 port 1: before error correction not known' --errors
	sim counter leaf2/6 PortFECCorrectedSymbolCounter +4000 || fail counter
	links_show a '^    leaf2 port 6: before error correction [1-9].[0-9]e-' --errors
	metric a 'heddle_health_ber{kind="raw"} [0-9.]*e-[0-9]*'
	# another tool resets them: no error, and nothing is forgotten
	at h9 perfquery -R -a "$(sim show leaf2 | sed -n \
		's/^port 0: [a-zA-Z]*, lid \([0-9]*\).*/\1/p')" ||
		fail "perfquery -R"
	passes=$(tell a --json status | json_flat |
		awk -F'\t' '$1 == "health.passes" { print $2 }')
	soon passed a $((passes + 2)) || fail "no pass"
	links_show a '^    leaf2 port 6: symbol errors 3, 3, 3; ' --errors
	links_show a '^bad: 1 link; list'
	# what is configured and what the ports do
	tell a --json links --bad --errors >"$E2E_DIR/out" || fail "links"
	[ "$(json_get "$E2E_DIR/out" links.0.bad)" = true ] ||
		fail "the worst is not first: $(cat "$E2E_DIR/out")"
	tell a metrics | grep -q '^infiniband_' &&
		fail "counters of ports among the metrics"
	sed -i 's/health: {/health: {port_metrics: true, /' "$E2E_DIR/a/yaml"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	metric a 'infiniband_switch_port_symbol_error_total{guid="0x0002c90200002900",port="1"} 800'
	metric a 'infiniband_hca_port_transmit_discards_total{guid="0x0002c90300000c00",port="1"} 65535'
	tell a path h3 h20 >"$E2E_DIR/out" || fail "path"
	grep -q '^verdict ' "$E2E_DIR/out" || fail "path: $(cat "$E2E_DIR/out")"
	tell a path leaf1 spine1 >"$E2E_DIR/out" || fail "path"
	grep -q '^verdict the link "leaf1" port 5 - "spine1" port 1 is bad: 800' \
		"$E2E_DIR/out" || fail "path: $(cat "$E2E_DIR/out")"
	tell a links --bad accept >"$E2E_DIR/out" || fail "accept"
	# it is drained, and an administrator is obeyed who takes that back
	sed -i 's/health: {/health: {action: drain, /' "$E2E_DIR/a/yaml"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	sim counter leaf3/6 SymbolErrorCounter 730 || fail counter
	logged a 'maintenance: drained "leaf1" (0x[0-9a-f]*) port 5 .* by health: 800 symbol errors'
	logged a 'link: bad but not drained "leaf3" .* port 6 .*: 1 of the 32 links of tier 1 is drained'
	in_order "drained for health"
	links_show a '^    used again once nothing was wrong for 1 h' --bad
	tell a drains | grep -q '^Bad, but not drained$' || fail "$(tell a drains)"
	metric a 'heddle_health_links{state="kept"} 1'
	tell a undrain spine1/1 | grep -q '^Undrained$' || fail undrain
	links_show a '^    not drained again for now' --bad
	in_order "taken back"
}

# passed NAME N: so many passes are over
passed() {
	[ "$(tell "$1" --json status | json_flat |
		awk -F'\t' '$1 == "health.passes" { print $2 }')" -ge "$2" ]
}

# shown FILE: it has what is left of the names, and nothing that hides or turns
# text
shown() {
	if LC_ALL=C grep -q "$UNSEEN" "$1"; then
		fail "shows what cannot be seen: $(LC_ALL=C grep "$UNSEEN" "$1" |
			head -n 3 | od -c | head -n 20)"
	fi
	grep -q 'ev.*il' "$1" || fail "no such name: $(head -n 30 "$1")"
}

# A host and a switch whose names turn the direction of text (U+202E), take no
# place (U+200B), move the cursor or ring: every page, every answer and the log.
test_names() {
	esc=$(printf '\033')
	bell=$(printf '\007')
	turn=$(printf '\342\200\256')
	none=$(printf '\342\200\213')
	UNSEEN="$esc\\|$bell\\|$turn\\|$none"
	config a 5 <<-'EOT'
		partitions:
		  all: {pkey: 0x7fff, members: {all: full}}
		  p: {pkey: 0x5, members: {"ev*": full}}
	EOT
	daemon a h1
	in_order bring-up
	sim rename h5 "ev${turn}il-h5$none" || fail "rename"
	sim rename spine2 "ev${esc}[2J${none}il-s2$bell" || fail "rename"
	tell a sweep --wait >/dev/null
	soon named a 'ev[?]*il-h5' || fail "no name: $(tell a topology)"
	soon named a 'ev[?]*.2J[?]*il-s2' || fail "no name"
	sim link h5/1 down || fail "link"
	soon grep -q 'node: gone "ev' "$E2E_DIR/a/log" || fail "not told"
	sim link h5/1 up || fail "link"
	soon grep -q 'node: new "ev' "$E2E_DIR/a/log" || fail "not told"
	sim link spine2/1 down || fail "link"
	soon grep -q 'link: down .*"ev' "$E2E_DIR/a/log" || fail "not told"
	sim fault spine2 lie LinearF || fail "fault"
	rests a
	host=$(tell a topology | sed -n 's/.*\(0x[0-9a-f]*\).*il-h5.*/\1/p')
	tell a sweep --wait >/dev/null
	for c in topology 'topology --format ibnetdiscover' links events \
		partitions 'tree --list switches' "routes h1 $host" \
		"pkeys h1 $host" 'plan --from live --verbose --fail leaf1'; do
		for json in '' --json; do
			# shellcheck disable=SC2086
			tell a $json $c >"$E2E_DIR/a/page" 2>&1
			shown "$E2E_DIR/a/page"
		done
	done
	for c in status metrics 'tree --list irregularities' groups; do
		# shellcheck disable=SC2086
		tell a $c >"$E2E_DIR/a/page" 2>&1
		echo evil >>"$E2E_DIR/a/page"
		shown "$E2E_DIR/a/page"
	done
	halt a
	shown "$E2E_DIR/a/log"
	cat "$E2E_DIR"/a/state/fabric.state >"$E2E_DIR/a/page"
	shown "$E2E_DIR/a/page"
	at h1 "$B/heddled" -c "$E2E_DIR/a/yaml" --audit >"$E2E_DIR/a/page" 2>&1
	echo evil >>"$E2E_DIR/a/page"
	shown "$E2E_DIR/a/page"
}

# Another manager, and its writes; a switch that acknowledges but does not
# store.
test_distrust() {
	config a 5 </dev/null
	daemon a h1
	in_order bring-up
	rests a
	sim manager h20 1 master || fail "manager"
	says a 1 '^ALARM .*two masters: 0x0002c90300001901 "h20" priority 1'
	logged a 'two masters'
	for n in leaf2 leaf3 spine1; do
		for l in 1 4 7 10; do
			sim entry "$n" "$l" 6 || fail "entry"
		done
	done
	says a 1 '^ALARM .*modified by something other than this daemon: .*"h20" priority 1'
	in_order "altered tables are put in order"
	logged a 'modified by something other than this daemon'
	metric a 'heddle_alarm 1'
	metric a 'heddle_tables_altered_total [1-9].*'
	# our own plan blocks dependencies too, and this may be one of them
	rests a
	sim manager h20 1 standby || fail "manager"
	sim turn leaf2 5 6 closed || fail "turn"
	tell a sweep >/dev/null || fail "sweep"
	says a 1 '^drift .* [1-9] dependencies blocked by others'
	logged a 'leaf2 discards packets from port 5 to port 6'
	sim fault leaf3 lie LinearF || fail "fault"
	for l in 5 6 7 8; do
		sim link "leaf5/$l" down >/dev/null || fail "link"
		until_true 5 is a quarantined.0.name leaf3 && break
		sim link "leaf5/$l" up >/dev/null
	done
	says a 1 '^quarantine .*"leaf3" acknowledges .* not hold; retried'
	metric a 'heddle_quarantined_info{.*name="leaf3",reason="ackn.*"} 1'
	logged a '"leaf3": acknowledges what it does not hold: .*block 0'
}

# Wrong roles, by the administrator and by a switch, and unusable files.
test_told() {
	config a 5 <<-'EOF'
		routing:
		  roles:
		    leaf: ["leaf?", 0x1234]
		    root: ["lea?1", "core*"]
		discovery:
		  role_attribute: [0x2c9:0xd2f0]
	EOF
	sim fault leaf2 role || fail "fault"
	daemon a h1
	in_order bring-up
	rests a
	says a 0 'role-unknown: 0x0000000000001234: has a configured role,'
	says a 0 'role-unknown: "core\*": has a configured role, but no switch'
	says a 0 'role-ambiguous: leaf1: the pattern "lea?1" gives it another role'
	says a 0 '"leaf2": role ignored, its answer has a wrong signature'
	logged a 'tree: "core\*": has a configured role, .*routing.roles'
	logged a 'discovery: .*signature'
	metric a 'heddle_tree_irregularities{kind="role-unknown"} 2'
	halt a
	sed -i 's/^lid 0x\([^ ]*\) 1 /lid 0x\1 2 /' "$E2E_DIR/a/state/fabric.state"
	daemon a h1
	says a 0 '^state .*NOT USED: .*checksum.*set aside as fabric.state.corr'
	logged a 'error: state: .*checksum: does not match'
	metric a 'heddle_state_lost 1'
	in_order "without the damaged state"
	halt a
	sed -i 's/^  priority: 5/&\n  subnet_prefix: 0xfe80000000000001/' \
		"$E2E_DIR/a/yaml"
	daemon a h1
	says a 0 '^state .*NOT USED: .*belongs to another fabric: prefix=0xfe800000000'
	in_order "without another fabric's state"
}

# audits WORDS: the audit from another host has this line
audits() {
	at h12 "$B/heddled" --audit >"$E2E_DIR/audit" 2>"$E2E_DIR/audit.err"
	grep -q "$1" "$E2E_DIR/audit" ||
		fail "--audit: $(cat "$E2E_DIR/audit.err" "$E2E_DIR/audit")"
}

test_adaptive() {
	config a 5 </dev/null
	daemon a h1
	in_order "the manager before"
	halt a
	for n in leaf1 leaf2 spine1; do
		sim adaptive "$n" on || fail "adaptive"
	done
	audits '^RISK  *LIDs whose port for packets in order, beside'
	sim adaptive leaf3 plft || fail "adaptive"
	sim adaptive leaf4 keeps || fail "adaptive"
	daemon a h1
	says a 1 '^ALARM .*1 switch may not forward by the verified routes: .*"leaf4" acknowledges'
	says a 1 '^            except for 1 switch, which may not forward by these'
	says a 1 '^unverified .*"leaf4" acknowledges the Set .*adaptive routing'
	tell a routes h13 h1 >"$E2E_DIR/a/path" 2>&1
	grep -q '^ *may leave by another port: it acknowledges' \
		"$E2E_DIR/a/path" ||
		fail "routes: $(cat "$E2E_DIR/a/path")"
	logged a 'adaptive: switched off on switches=4 '
	metric a 'heddle_foreign_adaptive 1'
	metric a 'heddle_adaptive_switched_off_total 4'
	for n in leaf1 leaf2 leaf3 spine1; do
		[ "$(sim adaptive "$n")" = off ] || fail "$n routes adaptively"
	done
	sim adaptive leaf4 on || fail "adaptive"
	tell a sweep >/dev/null || fail "sweep"
	becomes a alarm ""
	[ "$(sim adaptive leaf4)" = off ] || fail "leaf4 routes adaptively"
	metric a 'heddle_foreign_adaptive 0'
	in_order "all of it is off"
	# what is planned of adaptive routing of our own comes about, and stands
	# the audit; leaf1, leaf2 and leaf4 have it, and a top has no choice
	tell a plan --from live --set routing.adaptive.enabled=true \
		>"$E2E_DIR/plan" || fail "plan: $(cat "$E2E_DIR/plan")"
	grep -q '^adaptive    \([0-9]*\) of 12 switches choose' \
		"$E2E_DIR/plan" || fail "plan: $(cat "$E2E_DIR/plan")"
	echo 'routing: {adaptive: {enabled: true}}' >>"$E2E_DIR/a/yaml"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	becomes a adaptive.complete true
	becomes a adaptive.choosing \
		"$(sed -n 's/^adaptive *\([0-9]*\) of.*/\1/p' "$E2E_DIR/plan")"
	audits '^note  *[1-9] switches choose among ports by adaptive groups'
	in_order "switches choose"
}

# replays CODE OPTION...: heddle-sim replay of the bundle ends with that code
replays() {
	re_code=$1
	shift
	"$B/heddle-sim" replay "$E2E_DIR/bundle" "$@" >"$E2E_DIR/replay" 2>&1
	re_got=$?
	[ "$re_got" = "$re_code" ] || fail "replay $*: exit $re_got, not" \
		"$re_code: $(tail -n 5 "$E2E_DIR/replay")"
}

# replayed PATTERN
replayed() {
	grep -q "$1" "$E2E_DIR/replay" ||
		fail "no '$1': $(tail -n 9 "$E2E_DIR/replay")"
	say "replay: $1"
}

# saved: the bundle of what daemon a records
saved() {
	tell a record save "$E2E_DIR/bundle" >"$E2E_DIR/saved" ||
		fail "record save: $(cat "$E2E_DIR/saved")"
}

# spoil SED: the bundle with other words in it
spoil() {
	LC_ALL=C sed "$1" "$E2E_DIR/bundle" >"$E2E_DIR/spoilt"
	mv "$E2E_DIR/spoilt" "$E2E_DIR/bundle"
}

test_record() {
	key=0x1122aabb3344ccdd
	config a 5 <<-EOT
		  m_key: $key
		record:
		  dir: $E2E_DIR/rec
	EOT
	chmod o= "$E2E_DIR/a/yaml"
	daemon a h1
	in_order bring-up
	soon named a spine2 || fail "no names"
	rests a
	sleep 1
	before=$(date -u +%Y-%m-%dT%H:%M:%S.000000Z)
	sleep 1
	sim link leaf1/5 down || fail "link"
	becomes a missing.links 1
	rests a
	saved
	replays 0 --trace h1 h32 --events
	replayed '^verdict *the same decisions, to the end'
	replayed '  link: down "leaf1".*rerouted in'
	replayed '  h1 > leaf1:[0-9]* > spine[0-9]:[0-9]* > leaf8:[0-9]* > h32$'
	[ "$(grep -c '  h1 > leaf1' "$E2E_DIR/replay")" = 2 ] ||
		fail "the path did not change: $(cat "$E2E_DIR/replay")"
	replays 0 --until "$before" --trace h1 h32 --events
	replayed '^verdict *the same decisions, to the time'
	! grep -q 'link: down' "$E2E_DIR/replay" || fail "too far"
	replays 0 --list
	replayed 'received GetResp LinearForwardingTable'
	replayed 'received Trap Notice'
	! LC_ALL=C grep -qa "$(printf '\021\042\252\273\063\104\314\335')" \
		"$E2E_DIR/bundle" || fail "the key is in the bundle"
	halt a KILL
	sim link leaf1/5 up || fail "link"
	daemon a h1
	becomes a missing.links 0
	rests a
	saved
	replays 0
	replayed ' of 2 daemons, until '
	tell a record | grep -c 'replayed from its beginning' |
		grep -qx 2 || fail "record: $(tell a record)"
	cp "$E2E_DIR/bundle" "$E2E_DIR/good"
	spoil '1s/ 0\.1\.0/ 0.0.9/'
	replays 3
	replayed 'recorded by heddled 0.0.9 .*, and this is 0.1.0'
	head -c 9000 "$E2E_DIR/good" >"$E2E_DIR/bundle"
	replays 3
	replayed 'the bundle was cut here'
	# fewer messages than were sent: other decisions
	rm -r "$E2E_DIR/rec"
	tell a record save "$E2E_DIR/bundle" 2>"$E2E_DIR/saved" &&
		fail "saved: $(cat "$E2E_DIR/saved")"
	grep -q "$E2E_DIR/rec: cannot be read" "$E2E_DIR/saved" ||
		fail "said: $(cat "$E2E_DIR/saved")"
}

e2e_init
trap halt_all EXIT
test=${1%%-*}
case $test in
quarantine | reboot | reload | distrust | adaptive | told | events | health | drain | verify | names | record | ctl) ;;
*) fail "usage: daemon.sh quarantine|reboot|reload|distrust|adaptive|told|events|health|drain|verify|names|record|ctl-FABRIC" ;;
esac
fabric "${1#*-}" "$E2E_DIR/fabric.net"
[ "$test" != told ] ||
	sed -i '/^Switch.*"leaf2"/s/$/ # heddle: role=leaf/' "$E2E_DIR/fabric.net"
serve "$E2E_DIR/fabric.net"
"test_$test"
say "OK: $1"
