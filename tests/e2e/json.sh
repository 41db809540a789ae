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
# shellcheck source=tests/e2e/daemons.sh
. tests/e2e/daemons.sh

# a COMMAND..., b COMMAND...: heddlectl against that daemon
a() {
	tell a "$@"
}

b() {
	tell b "$@"
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
	# the number by which the daemon knows that it does not know
	! grep -q 4294967295 "$E2E_DIR/taken/$ta_n" ||
		fail "$*: $(grep -o '[^,]*4294967295' "$E2E_DIR/taken/$ta_n" |
			head -n 1)"
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
	# plans: all links at one speed; no hosts, and two links swapped
	sed 's/4xEDR/4xHDR/' "$E2E_DIR/net" >"$E2E_DIR/fast"
	awk 'BEGIN { print "StartDevice,StartPort,EndDevice,EndPort,LinkType" }
		/^Switch/ { split($0, name, "\""); from = name[4] }
		/^\[/ && from ~ /leaf/ && /"spine/ {
			split($0, part, /[][]/)
			split($0, name, "\"")
			to = name[4]
			if (from == "leaf1" && to ~ /spine[12]/)
				to = to == "spine1" ? "spine2" : "spine1"
			print from ",Port " part[2] "," to ",Port " part[4] ",Data"
		}' "$E2E_DIR/net" >"$E2E_DIR/swapped"
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
	take plan a --json plan --topology "$E2E_DIR/net" --fail spine1 \
		--set routing.adaptive.enabled=true
	take 'plan --compare' a --json plan --topology "$E2E_DIR/net" \
		--compare --set routing.adaptive.enabled=true
}

# calm: the answers about a fabric where nothing happens
calm() {
	take routes a --json routes
	take routes a --json routes h20
	take routes a --json routes --switch leaf1
	take topology a --json topology
	take topology ask '{"cmd":"topology","format":"ibnetdiscover"}'
	take topology ask '{"cmd":"topology","format":"map"}'
	take tree a --json tree
	take tree a --json tree --list switches
	take tree a --json tree --list multi-port
	take pkeys a --json pkeys h21 h30
	take 'config show' a --json config show
	take change a --json change
	take counters ask '{"cmd":"counters"}'
	take groups a --json groups
	take groups a --json groups 0xc000
	take error a --json routes nowhere
	requests
	take 'heddled --audit' at h12 "$B/heddled" --audit --json
	for c in status topology tree drains 'routes h1 h20' 'path h1 h20' \
		'plan --from live'; do
		# shellcheck disable=SC2086
		take "${c%% *}" b --json $c
	done
}

# break_things: what only shows where something is wrong
break_things() {
	sim counter leaf2/9 PortXmitDiscards 70000 || fail counter
	sim counter leaf2/9 SymbolErrorCounter 800 || fail counter
	sim counter leaf2/10 SymbolErrorCounter 900 || fail counter
	sim link leaf3/10 down || fail link
	sim remove h17 || fail remove
	sim rename h30 h21x || fail rename
	becomes a missing.nodes 1
	becomes a health.bad 2
	sed -i 's/priority: 9/&\n  port: heddle0\/1/' "$E2E_DIR/a/yaml"
	kill -HUP "$(cat "$E2E_DIR/a/pid")"
	becomes a config.reloads 1
	becomes a health.kept 2
	rests a
}

# broken: the answers about such a fabric
broken() {
	take links a --json links
	take links a --json links --bad --slow --errors
	take partitions a --json partitions
	take verify a --json verify
	take verify a --json verify "$E2E_DIR/fast"
	take verify a --json verify "$E2E_DIR/swapped"
	take verify a --json verify --write "$E2E_DIR/plan"
	take record a --json record
	take record a --json record save "$E2E_DIR/bundle"
	take 'config show' a --json config show --origin
	take drains a --json drain spine4 --for 1h --reason "fan tray"
	take drains a --json drains
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
	rests a
	becomes a multi_port.points_all 1
	take status a --json status
	take tree a --json tree --list multi-port
	take 'heddled --audit' at h12 "$B/heddled" --audit --json
	take report a --json report -o "$E2E_DIR/report.html"
	take sweep a --json rebalance
	take sweep a --json sweep
}

# every_state: the members of every state that the fabric can be brought into
every_state() {
	fabrics
	serve "$E2E_DIR/net"
	sim adaptive leaf7 keeps || fail adaptive
	sim key h13 0x1234 1 || fail key
	config a 9 <<-EOT
		  expected: $E2E_DIR/net
		record: {dir: $E2E_DIR/a/record}
		health: {enabled: true, interval: 1s, port_metrics: true, action: drain}
		partitions:
		  Default: {pkey: 0x7fff, members: {all: full}, ipoib: {enabled: true}}
		  blue: {pkey: 0x0101, members: {"h2*": full, h30: limited, gone: full}}
		qos:
		  levels:
		    default: {weight: 3}
		    storage: {weight: 8, sl: 3}
	EOT
	daemon a h1
	becomes a role master
	becomes a fabric.hosts 32
	config b 1 </dev/null
	daemon b h9
	becomes b role standby
	rests a
	at h7 "$B/heddle-saclient" ipoib h8 >"$E2E_DIR/join" 2>&1 ||
		fail "no group: $(cat "$E2E_DIR/join")"
	becomes a multi_port.nodes 32
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
