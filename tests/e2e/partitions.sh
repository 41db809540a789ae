#!/bin/sh
# Partitions on heddle-sim, through libheddle-umad.so. usage:
# partitions.sh TEST-FABRIC
#	reload	tenants change while the daemon runs: tables, guards, the SA's
#		answers; bad configurations change nothing and are reported
#	import	opensm with its files and heddled with heddlectl's import of
#		them make the same tables, port by port
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

start() {
	serve "$E2E_DIR/fabric.net" </dev/null
	E2E_SO=$B/libheddle-umad.so
}

# conf: write heddled's configuration, with partitions from stdin
conf() {
	{
		cat <<-EOT
			state: {dir: $E2E_DIR/state}
			control: {socket: $E2E_SOCKET}
			sweep: {interval: 1s}
		EOT
		cat
	} >"$E2E_DIR/p.yaml"
}

# keys NODE: its P_Key tables, one per line
keys() {
	sim show "$1" </dev/null | sed -n 's/^keys: port //p'
}

# holds NODE TEXT: its tables become that soon
holds() {
	soon is_held "$@" || fail "$1 holds '$(keys "$1")', not '$2'"
	say "$1: $2"
}

is_held() {
	[ "$(keys "$1" | head -n 1)" = "$2" ]
}

# becomes KEY VALUE: the status soon has that value
becomes() {
	soon is_status "$@" || fail "$1 is $(status_get "$1"), not $2"
	say "$1: $2"
}

is_status() {
	[ "$(status_get "$1")" = "$2" ]
}

hup() {
	kill -HUP "$E2E_SM_PID" || fail "no daemon"
}

# reload N: the N-th reload, which succeeds
reload() {
	hup
	becomes config.reloads "$1"
	rest
}

# refused N TEXT: the N-th bad reload; the reason is in the log
refused() {
	hup
	becomes config.bad_reloads "$1"
	soon grep -q "$2" "$E2E_DIR/sm.out" || fail "no '$2' in the log"
	is_held h2 "$tenant" || fail "a refused one changed h2: $(keys h2)"
	is_held leaf1 "$guards" || fail "... leaf1: $(keys leaf1)"
}

# sees HOST N: the SA shows it N hosts
sees() {
	soon is_seen "$@" || fail "$1 sees $SEEN hosts, not $2"
	say "$1 sees $2 hosts"
}

is_seen() {
	SEEN=$(on "$1" saquery NR 2>/dev/null | grep -c 'node_type.*Channel')
	[ "$SEEN" = "$2" ]
}

# explained A B TEXT
explained() {
	ctl pkeys "$1" "$2" >"$E2E_DIR/explain" 2>&1
	grep -q "$3" "$E2E_DIR/explain" ||
		fail "$1 and $2: no '$3': $(cat "$E2E_DIR/explain")"
}

test_reload() {
	E2E_SOCKET=$E2E_DIR/heddle.sock
	conf </dev/null
	start
	sm_launch "$B/heddled" -c "$E2E_DIR/p.yaml"
	holds h2 "1 ffff"
	soon up_heddled || fail "no order"
	sees h2 32
	conf <<-'EOT'
		fabric: {accept_loss: 32}
		partitions:
		  blue:
		    pkey: 0x5
		    members: {"h[234]": full}
		  green:
		    pkey: 0x6
		    members: {h3: limited, h5: both, h6: full}
	EOT
	reload 1
	holds h2 "1 7fff 8005"
	holds h3 "1 7fff 8005 0006"
	holds h5 "1 7fff 8006 0006"
	holds h1 "1 ffff"
	holds h7 "1 7fff"
	keys leaf1 | grep -q '^2 enforces 7fff 8005$' ||
		fail "guards: $(keys leaf1)"
	on h1 smpquery -G pkeys "$(guid_of h3)" 1 2>/dev/null |
		grep -q '0x7fff 0x8005 0x0006' || fail "smpquery pkeys"
	explained h2 h3 'may talk   in partition blue, 0x0005'
	explained h3 h4 'may talk   in partition blue, 0x0005'
	explained h5 h7 'may not    both are limited members .* Default'
	explained h3 h3 '2   0x0006 limited member of green$'
	explained h3 nosuch 'no'
	sees h2 4 # h1 by the default partition
	sees h7 2
	# kept keys keep their places
	conf <<-'EOT'
		fabric: {accept_loss: 32}
		partitions:
		  red:
		    pkey: 0x4
		    members: {"h[2-8]": full}
		  green:
		    pkey: 0x6
		    members: {h3: full, h5: full, nobody: full}
	EOT
	reload 2
	holds h3 "1 7fff 0000 8006 8004"
	holds h2 "1 7fff 0000 8004"
	holds h5 "1 7fff 8006 0000 8004"
	becomes partitions.nobody.0.member nobody
	tenant="1 7fff 0000 8004"
	guards=$(keys leaf1 | head -n 1)
	cp "$E2E_DIR/p.yaml" "$E2E_DIR/good.yaml"
	echo '  blue: {pkey: 0x5, memebers: {h2: full}}' >>"$E2E_DIR/p.yaml"
	refused 1 'memebers'
	cp "$E2E_DIR/good.yaml" "$E2E_DIR/p.yaml"
	echo '  blue: {pkey: 0x6, members: {h2: full}}' >>"$E2E_DIR/p.yaml"
	refused 2 '0x0006\|pkey'
	cp "$E2E_DIR/good.yaml" "$E2E_DIR/p.yaml"
	echo '  red: {pkey: 0x7, members: {h2: full}}' >>"$E2E_DIR/p.yaml"
	refused 3 'red'
	rm "$E2E_DIR/p.yaml"
	refused 4 'p.yaml'
	# without partitions all is as before
	conf </dev/null
	reload 7
	holds h3 "1 ffff"
	holds h2 "1 ffff"
	keys leaf1 | grep enforces && fail "leaf1 still enforces"
	sees h2 32
}

# guid_of NAME: of its port 1
guid_of() {
	awk -v name="\"$1\"" '$1 == "Ca" { here = $NF == name }
		here && /^\[1\]/ { split($1, f, /[()]/); print "0x" f[2] }' \
		"$E2E_DIR/fabric.net"
}

# all_keys FILE: the keys of every node, without order and holes: each manager
# chooses the places
all_keys() {
	awk '$1 ~ /^(Switch|Ca)$/ { gsub(/"/, "", $NF); gsub(/"/, "", $3); print $3 }' \
		"$E2E_DIR/fabric.net" | while read -r n; do
		keys "$n" | while read -r port rest; do
			case $rest in
			enforces*) continue ;; # guards, judged elsewhere
			esac
			# shellcheck disable=SC2086
			echo "$n $port $(printf '%s\n' $rest | grep -v 0000 |
				sort | tr '\n' ' ')"
		done
	done >"$1"
}

# by MANAGER COMMAND...: its tables go to $E2E_DIR/MANAGER
by() {
	by_who=$1
	shift
	start
	sm_launch "$@"
	soon "up_$by_who" || fail "$by_who: no order"
	[ "$by_who" = opensm ] || rest
	all_keys "$E2E_DIR/$by_who"
	stop_pid "$E2E_SM_PID"
	E2E_SM_PID=
	unserve
}

up_opensm() {
	grep -qs 'SUBNET UP' "$E2E_DIR/osm.log"
}

up_heddled() {
	sim judge >/dev/null 2>&1
}

# same NAME [OPTION [STATUS]]: opensm with $E2E_DIR/opensm.conf, which names
# partitions.conf, and heddled with the import of it, make the same tables
same() {
	opensm -c "$E2E_DIR/all.conf" >/dev/null 2>&1
	cat "$E2E_DIR/all.conf" - >"$E2E_DIR/opensm.conf" <<-EOT
		partition_config_file $E2E_DIR/partitions.conf
		force_log_flush TRUE
		${2:-}
	EOT
	rm -f "$E2E_DIR/osm.log"
	by opensm opensm -F "$E2E_DIR/opensm.conf" -f "$E2E_DIR/osm.log"
	conf </dev/null
	"$B/heddlectl" import "$E2E_DIR/opensm.conf" >"$E2E_DIR/import" \
		2>"$E2E_DIR/lost"
	[ $? = "${3:-0}" ] || fail "$1: import: $(cat "$E2E_DIR/lost")"
	"$B/heddled" -c "$E2E_DIR/import" --check-config >/dev/null ||
		fail "$1: no configuration: $(cat "$E2E_DIR/import")"
	# its sections, and its directories
	cat "$E2E_DIR/import" - >"$E2E_DIR/p.yaml" <<-EOT
		state: {dir: $E2E_DIR/state}
		control: {socket: $E2E_SOCKET}
	EOT
	rm -rf "$E2E_DIR/state"
	by heddled "$B/heddled" -c "$E2E_DIR/p.yaml"
	diff "$E2E_DIR/opensm" "$E2E_DIR/heddled" >"$E2E_DIR/diff" ||
		fail "$1: $(head -n 20 "$E2E_DIR/diff")" \
			"$(cat "$E2E_DIR/import")"
	say "$1: $(wc -l <"$E2E_DIR/opensm") tables are the same," \
		"$(cut -d' ' -f3- "$E2E_DIR/opensm" | sort -u | wc -l) kinds"
}

test_import() {
	E2E_SOCKET=$E2E_DIR/heddle.sock
	a=$(guid_of h2) b=$(guid_of h3) c=$(guid_of h4) d=$(guid_of h5)
	echo "Default=0x7fff : ALL, ALL_SWITCHES=full, SELF=full ;" \
		>"$E2E_DIR/partitions.conf"
	same "the default partition"
	# the examples in opensm's manual, with GUIDs that exist
	cat >"$E2E_DIR/partitions.conf" <<-EOT
		NewPartition , ipoib : $a=full, $b=limi, $c ;
		YetAnotherOne = 0x300 : SELF=full ;
		YetAnotherOne = 0x300 : ALL=limited ;
		ShareIO = 0x80 , defmember=full : $a, $b;
		# these become limited members
		ShareIO = 0x80 : $c, $d, $b=full;
		0x81, defmember=both : $a, $b=both, ALL_C;
		Twice : $a=full;
		Twice : $b=full;
		Default=0x7fff,ipoib,mtu=4,rate=3,sl=0,scope=2:
		  mgid=ff12:401b::0707,sl=1 # random IPv4 group
		  mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2
		  $d=full;
	EOT
	same "the examples" "" 1
	[ "$(grep -c 'group mgid=' "$E2E_DIR/lost")" = 2 ] ||
		fail "groups: $(cat "$E2E_DIR/lost")"
	same "both memberships" "allow_both_pkeys TRUE" 1
	test_import_status
}

# status WANT ARGUMENT...: heddlectl import ends with it
status() {
	want=$1
	shift
	"$B/heddlectl" import "$@" >"$E2E_DIR/out" 2>"$E2E_DIR/err"
	got=$?
	[ $got = "$want" ] ||
		fail "import $*: $got, not $want: $(cat "$E2E_DIR/err")"
}

# What the exit status says, and who can read the result
test_import_status() {
	# no file of OpenSM is beside it, which would be read, too
	mkdir "$E2E_DIR/alone"
	o=$E2E_DIR/alone/o.conf
	new=$E2E_DIR/new.yaml
	status 2 /etc/passwd
	[ ! -s "$E2E_DIR/out" ] || fail "/etc/passwd: $(cat "$E2E_DIR/out")"
	status 2 - /etc/passwd
	status 2 /bin/ls
	status 2 /nonexistent
	grep -q 'No such file' "$E2E_DIR/err" || fail "$(cat "$E2E_DIR/err")"
	status 2
	echo "lmc 1" >"$o"
	status 0 "$o"
	echo "hop_weights_file /x" >>"$o"
	status 1 "$o"
	grep -q '^heddlectl: 1 thing was not carried over:$' "$E2E_DIR/err" ||
		fail "$(cat "$E2E_DIR/err")"
	grep -q "^  $o:2: hop_weights_file" "$E2E_DIR/err" ||
		fail "$(cat "$E2E_DIR/err")"
	# a key: heddled refuses what every user can read, and is told how not
	echo "m_key 0x5ec2e7" >"$o"
	umask 022
	status 0 "$o"
	grep -q "chmod o= $E2E_DIR/out" "$E2E_DIR/err" ||
		fail "$(cat "$E2E_DIR/err")"
	! "$B/heddled" -c "$E2E_DIR/out" --check-config >/dev/null 2>&1 ||
		fail "a key that every user can read is accepted"
	status 0 -o "$new" "$o"
	case $(stat -c %a "$new") in
	600 | 640) ;;
	*) fail "$new: mode $(stat -c %a "$new")" ;;
	esac
	"$B/heddled" -c "$new" --check-config >/dev/null || fail "$new"
	cp "$new" "$E2E_DIR/before"
	status 2 -o "$new" "$o"
	cmp -s "$new" "$E2E_DIR/before" || fail "$new was overwritten"
	say "exit status and modes"
}

e2e_init
test=${1%%-*}
case $test in
reload | import) ;;
*) fail "usage: partitions.sh reload|import-FABRIC" ;;
esac
fabric "${1#*-}" "$E2E_DIR/fabric.net"
"test_$test"
say "OK: $1"
