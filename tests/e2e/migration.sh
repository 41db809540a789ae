#!/bin/sh
# From OpenSM to Heddle and back, by the manual: every command that
# heddle-migration(7) shows is run, in its order, on a simulated fabric whose
# hosts send packets all the time. None may be lost. usage: migration.sh demo
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

PAGE=man/heddle-migration.7
OSM_HOST=h9
OUR_HOST=h1

# put NAME: a command of the page, from stdin
put() {
	{
		echo "#!/bin/sh"
		echo "d='$E2E_DIR' b='$B' name='$IBSIM_SOCKNAME'"
		echo "osm='$OSM_HOST' ours='$OUR_HOST'"
		cat
	} >"$E2E_DIR/bin/$1"
	chmod +x "$E2E_DIR/bin/$1"
}

# commands: those of the page, on the simulator, below $E2E_DIR
commands() {
	mkdir -p "$E2E_DIR/bin"
	for tool in sminfo ibnetdiscover dump_fts; do
		put $tool <<-EOT
			exec "\$b/heddle-sim" run --preload heddle --host \$ours \\
				"\$name" -- $(command -v $tool) -t 20000 "\$@"
		EOT
	done
	# the places of a test, which no page would name
	put heddled <<-'EOT'
		{
			cat "$d/etc/heddle/heddle.yaml" 2>/dev/null
			echo "state: {dir: $d/state}"
			echo "control: {socket: $d/socket}"
			echo "record: {dir: $d/rec}"
		} >"$d/heddle.yaml"
		chmod o= "$d/heddle.yaml"
		exec "$b/heddle-sim" run --preload heddle --host $ours "$name" -- \
			"$b/heddled" -c "$d/heddle.yaml" "$@"
	EOT
	put heddlectl <<-'EOT'
		exec "$b/heddlectl" --socket "$d/socket" "$@"
	EOT
	put opensm <<-EOT
		exec "\$b/heddle-sim" run --preload heddle --host \$osm "\$name" -- \\
			$(command -v opensm) -F "\$d/etc/opensm/opensm.conf" -d2 \\
			-P "\$d/etc/opensm/partitions.conf" -f "\$d/osm.log"
	EOT
	put systemctl <<-'EOT'
		for unit; do :; done
		case "$*" in
		enable*)
			[ ! -e "$d/$unit.masked" ] || exit 1
			"$d/bin/$unit" >>"$d/$unit.out" 2>&1 </dev/null &
			echo $! >"$d/$unit.pid"
			;;
		disable*)
			pid=$(cat "$d/$unit.pid")
			kill "$pid"
			while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
			;;
		mask*) touch "$d/$unit.masked" ;;
		unmask*) rm "$d/$unit.masked" ;;
		*) exit 2 ;;
		esac
	EOT
}

# ends: the daemons that this test has started
ends() {
	for p in "$E2E_DIR"/*.pid; do
		[ ! -e "$p" ] || kill "$(cat "$p")" 2>/dev/null
	done
	e2e_cleanup
}

# role WANT: heddled has it, by its status
role() {
	"$E2E_DIR/bin/heddlectl" --json status >"$E2E_DIR/status" 2>/dev/null
	[ "$(json_get "$E2E_DIR/status" role)" = "$1" ]
}

# knows: the standby has read the fabric
knows() {
	role standby
	[ "$(json_get "$E2E_DIR/status" standby.unread)" = 0 ]
}

becomes() {
	soon role "$1" || fail "heddled is $(json_get "$E2E_DIR/status" role)," \
		"not $1: $(tail -n 3 "$E2E_DIR/heddled.out")"
}

# lid_of HOST
lid_of() {
	sim show "$1" | sed -n 's/^port 1.*, lid \([0-9]*\) .*/\1/p'
}

# opensm_again: it is master anew, and says so
opensm_again() {
	[ "$(grep -c 'SUBNET UP' "$E2E_DIR/osm.log")" -gt "$ups" ]
}

# none_lost: all packets of hosts arrived until now
none_lost() {
	nl_said=$(sim traffic)
	case $nl_said in
	*" 0 lost"*) ;;
	*) fail "after '$1': $nl_said" ;;
	esac
}

# before COMMAND, after COMMAND CODE OUT: what the page says there about it
before() {
	case $1 in
	"heddled --check-config")
		# the page: set the priority
		sed -i 's/^\( *priority:\).*/\1 1/' \
			"$E2E_DIR/etc/heddle/heddle.yaml"
		grep -q 'priority: 1' "$E2E_DIR/etc/heddle/heddle.yaml" ||
			fail "no priority: $(cat "$E2E_DIR/etc/heddle/heddle.yaml")"
		;;
	"heddlectl plan --from live")
		soon knows || fail "the standby knows nothing of the fabric"
		;;
	"systemctl enable --now opensm")
		ups=$(grep -c 'SUBNET UP' "$E2E_DIR/osm.log")
		;;
	esac
}

after() {
	af_out=$3
	case $1 in
	# findings about OpenSM, and options without a counterpart
	"heddled --audit" | "heddlectl import"*) [ "$2" -le 1 ] ;;
	*) [ "$2" = 0 ] ;;
	esac || fail "'$1' ended with $2: $(cat "$af_out")"
	case $1 in
	"heddlectl plan"*)
		sed -n 1p "$af_out" | grep -q '^SAFE' ||
			fail "the plan: $(cat "$af_out")"
		grep -q '^verified .* 0 unreachable, 0 loops, 0 cyclic' \
			"$af_out" || fail "the plan: $(cat "$af_out")"
		;;
	"systemctl enable --now heddled") becomes standby ;;
	"systemctl disable --now opensm")
		becomes master
		soon in_order || fail "not in order: $(cat "$E2E_DIR/judge")"
		;;
	"heddlectl change")
		grep -q 'expected  *0 packets lost' "$af_out" ||
			fail "the change: $(cat "$af_out")"
		;;
	"systemctl enable --now opensm")
		becomes standby
		soon opensm_again || fail "opensm did not bring it up"
		grep -q 'handed over to' "$E2E_DIR/heddled.out" ||
			fail "it was not handed over"
		;;
	sminfo)
		master=$OSM_HOST
		[ ! -e "$E2E_DIR/opensm.masked" ] || master=$OUR_HOST
		grep -q "sm lid $(lid_of $master) " "$af_out" ||
			fail "$master is not master: $(cat "$af_out")"
		;;
	esac
	none_lost "$1"
}

in_order() {
	sim judge >"$E2E_DIR/judge" 2>&1
}

# steps: the commands of the page with the two hosts, a line each
steps() {
	sed -n 's/^\(opensm\|heddle\)# /\1 /p' $PAGE
}

opensm_up() {
	mkdir -p "$E2E_DIR/etc/opensm" "$E2E_DIR/etc/heddle" "$E2E_DIR/shared"
	opensm -c "$E2E_DIR/etc/opensm/opensm.conf" >/dev/null 2>&1 ||
		fail "opensm writes no configuration"
	sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p' \
		"$E2E_DIR/etc/opensm/opensm.conf" | while read -r option; do
		grep -qx "\.It Ic $option" man/heddle-migration.7 ||
			echo "$option"
	done >"$E2E_DIR/unlisted"
	[ ! -s "$E2E_DIR/unlisted" ] ||
		fail "options that the page does not have:" \
			"$(cat "$E2E_DIR/unlisted")"
	sed -i 's/^sm_priority .*/sm_priority 5/
		s/^routing_engine .*/routing_engine updn/' \
		"$E2E_DIR/etc/opensm/opensm.conf"
	cat >"$E2E_DIR/etc/opensm/partitions.conf" <<-'EOF'
		Default=0x7fff, ipoib : ALL=full, SELF=full;
		blue=0x0101, ipoib : 0x0002c90300000301=full, 0x0002c90300000401=full;
	EOF
	"$E2E_DIR/bin/systemctl" enable --now opensm
	soon grep -qs 'SUBNET UP' "$E2E_DIR/osm.log" ||
		fail "opensm: no SUBNET UP"
}

demo() {
	fabric demo "$E2E_DIR/fabric.net" 2>/dev/null
	serve "$E2E_DIR/fabric.net"
	trap ends EXIT
	commands
	opensm_up
	sim traffic 500 >/dev/null || fail "no traffic"
	steps >"$E2E_DIR/steps"
	[ "$(grep -c '' "$E2E_DIR/steps")" -ge 20 ] || fail "few steps"
	n=0
	while read -r host command <&3; do
		n=$((n + 1))
		before "$command"
		# $E2E_DIR stands for the root
		here=$(echo "$command" |
			sed "s|/etc/|$E2E_DIR/etc/|g; s|/shared|$E2E_DIR/shared|g")
		PATH=$E2E_DIR/bin:$PATH sh -c "$here" >"$E2E_DIR/out" \
			2>"$E2E_DIR/err" 3<&-
		rc=$?
		cat "$E2E_DIR/err" >>"$E2E_DIR/out"
		[ -z "${E2E_TRANSCRIPT:-}" ] || {
			echo "$host# $command"
			cat "$E2E_DIR/out"
			echo
		} >>"$E2E_TRANSCRIPT"
		after "$command" $rc "$E2E_DIR/out"
	done 3<"$E2E_DIR/steps"
	sleep 1
	none_lost "the end"
	say "migration: $n commands of the manual; $(sim traffic off)"
	"$E2E_DIR/bin/heddlectl" record save --dir "$E2E_DIR/rec" \
		"$E2E_DIR/bundle" >/dev/null || fail "no bundle"
	"$B/heddle-sim" replay "$E2E_DIR/bundle" >"$E2E_DIR/replay" 2>&1 ||
		fail "replay: $(cat "$E2E_DIR/replay")"
	say "replay: $(sed -n 's/^compared *//p' "$E2E_DIR/replay"), all the same"
}

case ${1:-} in
demo) ;;
*)
	echo "usage: migration.sh demo" >&2
	exit 2
	;;
esac
e2e_init
demo
