#!/bin/sh
# The members of JSON that heddlectl-json(5) lists, and those that programs
# print. usage: json.sh members
#
# Commands are run against a fabric with everything that makes a member appear:
# a standby, a drained spine, a link that is gone, one that is slow, one that is
# bad, a group, partitions, QoS. What they print is compared with the page,
# member by member: one that is printed and not listed fails, and so does one
# that is listed and not printed, unless json.rare says why no test sees it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# at HOST COMMAND...: run it on that host
at() {
	at_host=$1
	shift
	"$B/heddle-sim" run --preload heddle --host "$at_host" \
		"$IBSIM_SOCKNAME" -- "$@"
}

# start NAME HOST: heddled there, by the configuration on stdin
start() {
	mkdir -p "$E2E_DIR/$1"
	{
		echo "state: {dir: $E2E_DIR/$1/state}"
		echo "control: {socket: $E2E_DIR/$1/sock}"
		cat
	} >"$E2E_DIR/$1/yaml"
	# shellcheck disable=SC2016
	at "$2" /bin/sh -c 'echo $$ >"$0/pid"; exec "$@"' "$E2E_DIR/$1" \
		"$B/heddled" -c "$E2E_DIR/$1/yaml" \
		>"$E2E_DIR/$1/log" 2>&1 </dev/null &
	soon test -s "$E2E_DIR/$1/pid" || fail "$1 did not start"
}

halt_all() {
	for h_pid in "$E2E_DIR"/*/pid; do
		[ ! -e "$h_pid" ] || stop_pid "$(cat "$h_pid")"
	done
	e2e_cleanup
}

# a COMMAND..., b COMMAND...: heddlectl against that daemon
a() {
	"$B/heddlectl" --socket "$E2E_DIR/a/sock" "$@"
}

b() {
	"$B/heddlectl" --socket "$E2E_DIR/b/sock" "$@"
}

# has NAME KEY VALUE: the status of that daemon has it
has() {
	"$1" --json status >"$E2E_DIR/$1/status" 2>/dev/null
	[ "$(json_get "$E2E_DIR/$1/status" "$2")" = "$3" ]
}

becomes() {
	soon has "$@" || fail "$1: $2 is $(json_get "$E2E_DIR/$1/status" "$2")"
}

idle() {
	has a dirty false && has a phase idle
}

# take ANSWER COMMAND...: what it prints is an ANSWER of the page
take() {
	ta_answer=$1
	shift
	ta_n=$((${ta_n:-0} + 1))
	"$@" >"$E2E_DIR/taken/$ta_n" 2>"$E2E_DIR/err"
	[ -s "$E2E_DIR/taken/$ta_n" ] ||
		fail "$*: nothing printed: $(cat "$E2E_DIR/err")"
	json_flat <"$E2E_DIR/taken/$ta_n" | cut -f1 | sed \
		-e 's/\.[0-9][0-9]*\./[]./g; s/\.[0-9][0-9]*\./[]./g' \
		-e 's/\.[0-9][0-9]*$/[]/' -e "s/^/$ta_answer	/" | sort -u \
		>>"$E2E_DIR/printed"
	[ -z "${JSON_KEEP:-}" ] ||
		cp "$E2E_DIR/taken/$ta_n" "$JSON_KEEP/$ta_answer.$ta_n"
}

# ask REQUEST: the result of a request over the control socket of a, or the
# error
ask() {
	# shellcheck disable=SC2016
	perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 1;
		print $s "$ARGV[1]\n";
		my $line = <$s>;
		$line =~ s/^\{"ok":true,"result":(.*)\}$/$1/;
		print $line' "$E2E_DIR/a/sock" "$1"
}

# requests: the page lists those that the daemon knows
requests() {
	sed -n '/^\.Sh PROTOCOL/,/^\.Sh S/s/^\.It \([a-z]*\) Ta.*/\1/p' \
		man/heddlectl-json.5 | sort -u >"$E2E_DIR/listed"
	ask '{"cmd":"?"}' | sed 's/.*known commands: //; s/".*//; s/, /\n/g' |
		sort >"$E2E_DIR/known"
	diff "$E2E_DIR/listed" "$E2E_DIR/known" >"$E2E_DIR/wrong" ||
		fail "requests in heddlectl-json(5): $(cat "$E2E_DIR/wrong")"
}

# fabrics: a tree with hosts on two leaves and one slow link, and a ring
fabrics() {
	generate fattree2 --spines 4 --leaves 8 --hosts 4 --rails 2 |
		awk '/^Switch/ { name = $5 }
			name == "\"leaf4\"" && /"spine2"/ ||
				name == "\"spine2\"" && /"leaf4"/ {
				sub(/4xHDR/, "4xEDR")
			}
			{ print }' >"$E2E_DIR/net"
	generate torus --dim 4 --hosts 1 >"$E2E_DIR/ring"
}

# alone: what needs no daemon
alone() {
	printf 'fabric: {prt: 1}\nfabric: {}\n' >"$E2E_DIR/bad.yaml"
	take 'heddled --check-config' "$B/heddled" -c "$E2E_DIR/bad.yaml" \
		--check-config --json
	take plan a --json plan --topology "$E2E_DIR/net" --fail leaf3
	take plan a --json plan --topology "$E2E_DIR/net" --fail spine1 \
		--fail spine2 --fail spine3
	take plan a --json plan --topology "$E2E_DIR/ring" --fail sw0 --fail sw2
	take 'plan --compare' a --json plan --topology "$E2E_DIR/net" --compare
}

# calm: the answers about a fabric where nothing happens
calm() {
	take routes a --json routes
	take routes a --json routes h20
	take routes a --json routes --switch leaf1
	take topology a --json topology
	take topology ask '{"cmd":"topology","format":"ibnetdiscover"}'
	take tree a --json tree
	take tree a --json tree --list switches
	take tree a --json tree --list homes
	take pkeys a --json pkeys h21 h30
	take 'config show' a --json config show
	take change a --json change
	take counters ask '{"cmd":"counters"}'
	take groups a --json groups
	take groups a --json groups 0xc000
	take error a --json routes nowhere
	requests
	take 'heddled --audit' at h12 "$B/heddled" --audit --json
	for c in status topology tree 'routes h1 h20' 'path h1 h20' \
		'plan --from live'; do
		# shellcheck disable=SC2086
		take "${c%% *}" b --json $c
	done
}

# break_things: what only shows where something is wrong
break_things() {
	sim counter leaf2/9 SymbolErrorCounter 800 || fail counter
	sim counter leaf2/9 PortXmitDiscards 70000 || fail counter
	sim link leaf3/10 down || fail link
	sim remove h17 || fail remove
	sim rename h30 h21x || fail rename
	becomes a missing.nodes 1
	becomes a health.bad 1
	sed 's/priority: 9/priority: 9, port: heddle0\/1/' \
		"$E2E_DIR/a/yaml" >"$E2E_DIR/yaml"
	cp "$E2E_DIR/yaml" "$E2E_DIR/a/yaml"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	becomes a config.reloads 1
	soon idle || fail "a does not come to rest"
}

# broken: the answers about such a fabric
broken() {
	take links a --json links
	take links a --json links --bad --slow --errors
	take partitions a --json partitions
	take 'config show' a --json config show --origin
	take drains a --json drain spine4 --for 1h --reason "fan tray"
	take path a --json path h5 h20
	take routes a --json routes h5 h28
	take plan a --json plan --from live --drain spine3
	take plan a --json plan --from live --fail h5 --method all
	take status a --json undrain spine4
	take status a --json status
	take events a --json events
	for c in spine1 spine2 spine3; do
		sim remove $c || fail remove
	done
	becomes a missing.nodes 4
	take drains a --json drain spine4 --force
	soon idle || fail "a does not come to rest"
	becomes a homes.points_all 1
	take status a --json status
	take tree a --json tree --list homes
	take 'heddled --audit' at h12 "$B/heddled" --audit --json
}

# every_state: the members of every state that the fabric can be brought into
every_state() {
	fabrics
	serve "$E2E_DIR/net"
	sim adaptive leaf7 keeps || fail adaptive
	sim key h13 0x1234 1 || fail key
	start a h1 <<-EOT
		fabric: {priority: 9}
		sweep: {interval: 1s}
		health: {enabled: true, interval: 1s, port_metrics: true}
		partitions:
		  Default: {pkey: 0x7fff, members: {all: full}, ipoib: {enabled: true}}
		  blue: {pkey: 0x0101, members: {"h2*": full, h30: limited, gone: full}}
		qos:
		  levels:
		    default: {weight: 3}
		    storage: {weight: 8, sl: 3}
	EOT
	becomes a role master
	becomes a fabric.hosts 32
	start b h9 </dev/null
	becomes b role standby
	soon idle || fail "a does not come to rest"
	at h7 "$B/heddle-saclient" ipoib h8 >"$E2E_DIR/join" 2>&1 ||
		fail "no group: $(cat "$E2E_DIR/join")"
	becomes a homes.nodes 32
	calm
	alone
	break_things
	broken
}

members() {
	E2E_NEEDS=
	mkdir -p "$E2E_DIR/taken"
	: >"$E2E_DIR/printed"
	trap halt_all EXIT
	every_state
	sort -u "$E2E_DIR/printed" | awk -f tests/e2e/members.awk \
		file=1 man/heddlectl-json.5 file=2 tests/e2e/json.rare file=3 - >"$E2E_DIR/wrong" ||
		fail "heddlectl-json(5): $(sort "$E2E_DIR/wrong")"
	[ -z "${JSON_KEEP:-}" ] || cp "$E2E_DIR/printed" "$JSON_KEEP/printed"
}

E2E_NEEDS=true
e2e_init
case ${1:-} in
members) members ;;
*) fail "usage: json.sh members" ;;
esac
say "OK: $1"
