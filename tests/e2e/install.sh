#!/bin/sh
# What an administrator does before the first fabric is managed.
#
#	setup	packages are installed without starting a subnet manager
#	desk	the section "A fabric on your desk" of README.md
#	demo	make demo, and the commands that it tells to try next
#	files	make install: what is where, and whether systemd likes it
#	shells	completion in bash, zsh and fish
#	alerts	the alert rules, by promtool
#
# usage: install.sh setup|desk|demo|files|shells|alerts
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# ---- setup: deps.sh with a package manager that only says what it would do

# put NAME: a program of that name in front of all others, from stdin
put() {
	cat >"$E2E_DIR/bin/$1"
	chmod +x "$E2E_DIR/bin/$1"
}

# fakes: apt-get and dpkg-query for a machine without any package; to install
# opensm does what its Debian package does
fakes() {
	mkdir -p "$E2E_DIR/bin"
	put dpkg-query <<-'EOT'
		#!/bin/sh
		for p; do :; done
		grep -qx "$p" "$HEDDLE_ROOT/installed" 2>/dev/null || exit 1
		echo 'install ok installed'
	EOT
	put apt-get <<-'EOT'
		#!/bin/sh
		echo "apt-get $*" >>"$HEDDLE_ROOT/asked"
		case $1 in
		update) exit 0 ;;
		esac
		for p; do
			case $p in install | -*) continue ;; esac
			if [ "$2" = -s ]; then
				echo "Inst $p (1.0 Debian)"
				continue
			fi
			echo "Unpacking $p, noise of a package"
			echo "$p" >>"$HEDDLE_ROOT/installed"
			[ "$p" = opensm ] || continue
			wants=$HEDDLE_ROOT/etc/systemd/system/network-online.target.wants
			mkdir -p "$wants"
			ln -sf /lib/systemd/system/opensm.service "$wants"
			[ "$(readlink "$HEDDLE_ROOT/etc/systemd/system/opensm.service")" = \
				/dev/null ] || touch "$HEDDLE_ROOT/opensm-started"
		done
	EOT
	put id <<-'EOT'
		#!/bin/sh
		echo 0
	EOT
	put update-rc.d <<-'EOT'
		#!/bin/sh
		echo "update-rc.d $*" >>"$HEDDLE_ROOT/asked"
	EOT
}

# machine NAME [DEVICE]: a root without packages, and that InfiniBand device
machine() {
	HEDDLE_ROOT=$E2E_DIR/$1
	export HEDDLE_ROOT
	mkdir -p "$HEDDLE_ROOT/etc" "$HEDDLE_ROOT/work" \
		"$HEDDLE_ROOT/sys/class/infiniband"
	[ $# = 1 ] || mkdir "$HEDDLE_ROOT/sys/class/infiniband/$2"
}

# deps JOB [NAME=VALUE...]: what it prints is $E2E_DIR/said
deps() {
	deps_job=$1
	shift
	(cd "$HEDDLE_ROOT/work" && env -u CI -u HEDDLE_DEPS \
		PATH="$E2E_DIR/bin:$PATH" "$@" \
		sh "$DEPS" "$deps_job" >"$E2E_DIR/said" 2>&1 </dev/null)
}

# has PACKAGE, has_not PACKAGE: whether it was installed
has() {
	grep -qx "$1" "$HEDDLE_ROOT/installed" 2>/dev/null ||
		fail "$HEDDLE_ROOT: $1 is not installed: $(cat "$E2E_DIR/said")"
}

has_not() {
	! grep -qx "$1" "$HEDDLE_ROOT/installed" 2>/dev/null ||
		fail "$HEDDLE_ROOT: $1 was installed"
}

# sleeps: opensm was not started, and is not by the next boot
sleeps() {
	units=$HEDDLE_ROOT/etc/systemd/system
	[ ! -e "$HEDDLE_ROOT/opensm-started" ] || fail "opensm was started"
	[ "$(readlink "$units/opensm.service")" = /dev/null ] ||
		fail "opensm.service is not masked"
	[ ! -L "$units/network-online.target.wants/opensm.service" ] ||
		fail "opensm.service is enabled"
	grep -q '^update-rc.d opensm disable' "$HEDDLE_ROOT/asked" ||
		fail "the init script of opensm is enabled"
}

setup() {
	# without libcheck: the programs are built where no tests are
	! grep -l '^#include <check.h>' tests/sim/*/*.[ch] tests/topo/*.[ch] \
		tests/e2e/*.[ch] || fail "heddle-sim needs libcheck"
	DEPS=$PWD/tests/lint/deps.sh
	fakes

	machine plain
	deps demo || fail "demo: $(cat "$E2E_DIR/said")"
	has infiniband-diags
	has_not opensm
	deps check || fail "check: $(cat "$E2E_DIR/said")"
	has opensm
	sleeps
	grep -q 'masked' "$E2E_DIR/said" || fail "the mask is not told"
	! grep -q 'noise' "$E2E_DIR/said" || fail "noise of packages is shown"
	grep -q 'noise' "$HEDDLE_ROOT/work/build/deps.log" ||
		fail "noise of packages is not in the log"
	[ "$(grep -c '' "$E2E_DIR/said")" -le 6 ] ||
		fail "many lines: $(cat "$E2E_DIR/said")"
	: >"$HEDDLE_ROOT/asked"
	deps check || fail "check again"
	[ ! -s "$HEDDLE_ROOT/asked" ] || fail "packages are asked for twice"

	machine live mlx5_0
	deps demo || fail "demo: $(cat "$E2E_DIR/said")"
	has infiniband-diags
	! deps check || fail "opensm is installed beside InfiniBand devices"
	has_not opensm
	has_not check
	grep -q 'mlx5_0' "$E2E_DIR/said" || fail "the device is not named"
	grep -q 'HEDDLE_DEPS=yes' "$E2E_DIR/said" || fail "no way out is told"
	deps check HEDDLE_DEPS=yes || fail "HEDDLE_DEPS=yes is refused"
	has opensm
	sleeps

	machine runner mlx5_0
	deps check CI=true || fail "CI: $(cat "$E2E_DIR/said")"
	sleeps

	# where packages are built nothing is looked for
	machine builder
	deps build HEDDLE_DEPS=no || fail "build: $(cat "$E2E_DIR/said")"
	[ ! -e "$HEDDLE_ROOT/asked" ] || fail "packages are asked for"

	# an OpenSM of the machine itself is not touched
	machine site mlx5_0
	echo opensm >"$HEDDLE_ROOT/installed"
	deps check || fail "opensm is there: $(cat "$E2E_DIR/said")"
	[ ! -L "$HEDDLE_ROOT/etc/systemd/system/opensm.service" ] ||
		fail "the opensm of the machine was masked"

	# nor is a unit of its own
	machine unit
	mkdir -p "$HEDDLE_ROOT/etc/systemd/system"
	echo own >"$HEDDLE_ROOT/etc/systemd/system/opensm.service"
	! deps check || fail "a unit of the machine was passed over"
	has_not opensm
	say "setup: no subnet manager is started"
}

# ---- demo: what it prints at its end is run word by word

answers() {
	eval "$third" >"$E2E_DIR/third.out" 2>&1
}

demo_ends() {
	kill "$(cat "$E2E_DIR/second")" 2>/dev/null
	sim quit >/dev/null 2>&1
}

demo() {
	E2E_DEMO=$E2E_DIR/kept tests/demo.sh >"$E2E_DIR/said" 2>&1 ||
		fail "the demo failed: $(tail -n 5 "$E2E_DIR/said")"
	# the table in README.md, but for what depends on the machine
	for row in switches hosts links.that.carry pairs links.that.could of.these
	do
		sed -n "s/^ *\($row\) /\1 /p" README.md | head -n 1 >"$E2E_DIR/row"
		sed 's/^ *//' "$E2E_DIR/said" | grep -qxFf "$E2E_DIR/row" ||
			fail "README.md has another table: $(cat "$E2E_DIR/row")"
	done
	sed -n '/^Try next/,$s/^  //p' "$E2E_DIR/said" |
		sed "s/ demo / $IBSIM_SOCKNAME /; s/demo &/$IBSIM_SOCKNAME \\&/" \
			>"$E2E_DIR/try"
	[ "$(grep -c '' "$E2E_DIR/try")" = 3 ] ||
		fail "not three commands: $(cat "$E2E_DIR/try")"
	# pasted at once: the second does not wait for the first to be ready
	sed -n 1,2p "$E2E_DIR/try" | sed 's/ &$/ \&/' >"$E2E_DIR/start"
	third=$(sed -n 3p "$E2E_DIR/try")
	trap 'demo_ends; e2e_cleanup' EXIT
	sh -c ". $E2E_DIR/start; "' echo $! >'"$E2E_DIR/second; wait" \
		>"$E2E_DIR/sm.out" 2>&1 &
	E2E_SIM_PID=$!
	soon answers || fail "no answer: $(cat "$E2E_DIR/third.out")"
	grep -q '^to .*"h32"' "$E2E_DIR/third.out" ||
		fail "no path to h32: $(cat "$E2E_DIR/third.out")"
	demo_ends
	soon gone "$E2E_SIM_PID" || fail "heddled or heddle-sim goes on"
	say "demo: $(grep -c '^' "$E2E_DIR/third.out") lines of a path"
}

# ---- desk: the section of README.md, word by word

desk() {
	mkdir "$E2E_DIR/build"
	for p in heddled heddlectl heddle-sim libheddle-umad.so; do
		ln -s "$B/$p" "$E2E_DIR/build/$p"
	done
	{
		# as at a terminal, with jobs; none of them is left behind
		echo "set -em; trap 'kill %1 %2 2>/dev/null || :' EXIT; cd '$E2E_DIR'"
		sed -n '/^## A fabric on your desk/,/^## [^A]/s/^    //p' \
			README.md | sed "s/\\<desk\\>/$IBSIM_SOCKNAME/" |
			while IFS= read -r line; do
				echo "echo; echo '\$' $(printf '%s\n' "$line" |
					sed "s/'/'\\\\''/g; s/.*/'&'/")"
				printf '%s\n' "$line"
				# what a reader waits for
				case $line in
				export*) echo 'up 1' ;;
				*' down') echo 'up 2' ;;
				*traffic\ 500) echo 'sleep 1' ;;
				esac
			done
		echo "wait"
	} >"$E2E_DIR/script"
	cat >"$E2E_DIR/up" <<-'EOF'
		up() {
			until ./heddlectl status --wait-generation "$1" &&
				./heddlectl routes h1 h32; do
				sleep 0.1
			done >/dev/null 2>&1
		}
	EOF
	timeout 90 bash -c ". '$E2E_DIR/up'; . '$E2E_DIR/script'" \
		>"$E2E_DIR/said" 2>&1 ||
		fail "it ended with $?: $(tail -n 5 "$E2E_DIR/said")"
	! "$B/heddle-sim" ctl --name "$IBSIM_SOCKNAME" clients >/dev/null 2>&1 ||
		fail "heddle-sim goes on"
	[ -z "${E2E_TRANSCRIPT:-}" ] || cp "$E2E_DIR/said" "$E2E_TRANSCRIPT"
	for want in 'to .*"h32"' 'direct, 1 stage' ' arrived, ' 'Switch.*spine2'; do
		grep -q "$want" "$E2E_DIR/said" ||
			fail "no $want: $(tail -n 5 "$E2E_DIR/said")"
	done
	say "desk: $(grep -c '^\$ ' "$E2E_DIR/said") commands"
}

# ---- files: make install DESTDIR=

# installs [NAME=VALUE...]: make install into $E2E_DIR/root
installs() {
	make --no-print-directory install "DESTDIR=$E2E_DIR/root" "$@" \
		>"$E2E_DIR/said" 2>&1 || fail "make: $(cat "$E2E_DIR/said")"
}

expected() {
	cat <<-EOF
		/etc/heddle/heddle.yaml 640
		/usr/bin/heddle-sim 777
		/usr/lib/heddle/heddle-sim 755
		/usr/lib/heddle/libheddle-umad.so 644
		/usr/lib/systemd/system/heddled.service 644
		/usr/lib/systemd/system/heddled@.service 644
		/usr/lib/sysusers.d/heddle.conf 644
		/usr/lib/tmpfiles.d/heddle.conf 644
		/usr/lib/udev/rules.d/70-heddle.rules 644
		/usr/sbin/heddlectl 755
		/usr/sbin/heddled 755
		/usr/share/bash-completion/completions/heddlectl 644
		/usr/share/doc/heddle/LICENSE 644
		/usr/share/doc/heddle/README.md 644
		/usr/share/doc/heddle/examples/heddle-alerts.yaml 644
		/usr/share/doc/heddle/examples/heddle-dashboard.json 644
		/usr/share/doc/heddle/examples/heddle.yaml 644
		/usr/share/fish/vendor_completions.d/heddlectl.fish 644
		/usr/share/heddle/heddle.schema.json 644
		/usr/share/zsh/site-functions/_heddlectl 644
	EOF
	for page in man/*.[1-9]; do
		echo "/usr/share/man/man${page##*.}/${page##*/} 644"
	done
}

# packed: each of them is in a Debian package, too, or left out by name
packed() {
	cat debian/*.install debian/not-installed >"$E2E_DIR/packed"
	expected | awk 'NR == FNR { place["/" $1]; next }
		{ for (p in place) if (index($1, p) == 1) next; print $1 }' \
		"$E2E_DIR/packed" - >"$E2E_DIR/loose"
	[ ! -s "$E2E_DIR/loose" ] ||
		fail "in no package: $(cat "$E2E_DIR/loose")"
}

# has_line UNIT TEXT: it has that line
has_line() {
	grep -qxF -- "$2" "$root/usr/lib/systemd/system/$1" ||
		fail "$1 has no $2"
}

# units: both of them; what systemd says itself is asked where it is there
units() {
	for unit in heddled.service heddled@.service; do
		has_line $unit 'WantedBy=multi-user.target'
		has_line $unit 'Conflicts=opensm.service opensmd.service'
		has_line $unit 'StartLimitIntervalSec=0'
		has_line $unit 'Restart=on-failure'
		grep -q '^After=.*openibd.service' \
			"$root/usr/lib/systemd/system/$unit" ||
			fail "$unit does not wait for openibd"
		! grep -q '@[A-Z]*@\|RestartPrevent\|^Condition' \
			"$root/usr/lib/systemd/system/$unit" ||
			fail "$unit may give up, or is not filled in"
	done
	start=$(sed -n 's/^ExecStart=//p' \
		"$root/usr/lib/systemd/system/heddled.service")
	[ "$start" = "/usr/sbin/heddled -c /etc/heddle/heddle.yaml" ] ||
		fail "heddled.service starts $start"
	[ "$(grep -n '^ExecReload' \
		"$root/usr/lib/systemd/system/heddled.service" |
		head -n 1 | cut -d= -f2-)" = "$start --check-config" ] ||
		fail "a reload is not checked first"
	has_line heddled@.service \
		'ExecStart=/usr/sbin/heddled -c /etc/heddle/%i.yaml'
	has_line heddled@.service 'StateDirectory=heddle/%i'
	if ! command -v systemd-analyze >/dev/null; then
		say "NOT CHECKED by systemd-analyze, which is not installed"
		return
	fi
	# systemd looks for the programs of a unit: it gets them here
	mkdir -p "$E2E_DIR/units"
	for unit in heddled.service heddled@.service; do
		sed "s|/usr/sbin/|$root/usr/sbin/|; /^Documentation/d" \
			"$root/usr/lib/systemd/system/$unit" \
			>"$E2E_DIR/units/$unit"
		instance=$(echo "$unit" | sed 's/@/@second/')
		[ "$instance" = "$unit" ] ||
			ln -s "$unit" "$E2E_DIR/units/$instance"
		systemd-analyze verify --recursive-errors=no \
			"$E2E_DIR/units/$instance" >"$E2E_DIR/verify" 2>&1
		! grep "$instance" "$E2E_DIR/verify" || fail "verify $unit"
		systemd-analyze security --offline=true --threshold=14 \
			"$E2E_DIR/units/$instance" >"$E2E_DIR/exposure" 2>&1 ||
			fail "$unit: $(tail -n 1 "$E2E_DIR/exposure")"
		say "$(sed -n 's/^[^O]*\(Overall.*\)/\1/p' "$E2E_DIR/exposure")"
	done
}

# recipe: what config/install/Containerfile makes of the packages. deb.sh builds
# it where buildah is.
recipe() {
	file=config/install/Containerfile
	[ "$(sed -n 's/^USER //p' $file)" = heddle ] ||
		fail "$file: not the user heddle"
	[ "$(grep -c '^VOLUME /var/lib/heddle$' $file)" = 1 ] ||
		fail "$file: not one volume for the state"
	! grep -n '^EXPOSE\|--privileged\|:latest' $file ||
		fail "$file: more than a manager needs"
	entry=$(sed -n 's/^ENTRYPOINT \["\([^"]*\)"\]$/\1/p' $file)
	[ -f "$root$entry" ] || fail "$file: it starts '$entry'"
	for p in $(sed -n 's/^COPY //p' $file | tr ' ' '\n' |
		sed -n 's/_\*\.deb$//p'); do
		grep -qx "Package: $p" debian/control ||
			fail "$file: there is no package $p"
	done
}

# users: systemd makes the user and gives it the configuration
users() {
	if ! command -v systemd-sysusers >/dev/null; then
		say "NOT CHECKED by systemd-sysusers, which is not installed"
		return
	fi
	systemd-sysusers --root="$root" >"$E2E_DIR/said" 2>&1 ||
		fail "sysusers: $(cat "$E2E_DIR/said")"
	grep -q '^heddle-umad:.*:heddle$' "$root/etc/group" ||
		fail "heddle is no member of heddle-umad"
	[ "$(id -u)" = 0 ] || return
	systemd-tmpfiles --root="$root" --create \
		"$root/usr/lib/tmpfiles.d/heddle.conf" >"$E2E_DIR/said" 2>&1 ||
		fail "tmpfiles: $(cat "$E2E_DIR/said")"
	gid=$(sed -n 's/^heddle:[^:]*:\([0-9]*\):.*/\1/p' "$root/etc/group")
	[ "$(stat -c '%a %u %g' "$root/etc/heddle/heddle.yaml")" = \
		"640 0 $gid" ] || fail "the configuration is not the daemon's"
}

files() {
	root=$E2E_DIR/root
	installs PREFIX=/usr
	(cd "$root" && find . ! -type d -printf '/%P %m\n') |
		LC_ALL=C sort >"$E2E_DIR/is"
	expected | LC_ALL=C sort >"$E2E_DIR/want"
	diff "$E2E_DIR/want" "$E2E_DIR/is" || fail "other files"
	packed

	# the sample changes nothing, and all of it is good with its '#' removed
	etc=$root/etc/heddle/heddle.yaml
	"$root/usr/sbin/heddled" -c "$etc" --print-config >"$E2E_DIR/sample"
	echo >"$E2E_DIR/empty.yaml"
	"$root/usr/sbin/heddled" -c "$E2E_DIR/empty.yaml" --print-config \
		>"$E2E_DIR/defaults"
	diff "$E2E_DIR/defaults" "$E2E_DIR/sample" ||
		fail "the sample changes something"
	sed '/^# [^ ]/d; s/^#//' "$etc" >"$E2E_DIR/used.yaml"
	"$root/usr/sbin/heddled" -c "$E2E_DIR/used.yaml" --check-config ||
		fail "the sample has mistakes"
	grep -q "schema=/usr/share/heddle/heddle.schema.json" "$etc" ||
		fail "the schema is elsewhere"

	echo "# own" >"$etc"
	installs PREFIX=/usr
	grep -qx '# own' "$etc" || fail "the configuration was written over"

	"$root/usr/bin/heddle-sim" generate fattree2 --spines 1 --leaves 2 \
		--hosts 1 >"$E2E_DIR/net" 2>/dev/null
	"$root/usr/bin/heddle-sim" run --preload heddle "$E2E_DIR/net" -- \
		"$root/usr/sbin/heddled" --once >"$E2E_DIR/said" 2>&1 ||
		fail "heddle-sim: $(cat "$E2E_DIR/said")"
	recipe
	units
	users

	rm -rf "$root"
	installs
	grep -q '^ExecStart=/usr/local/sbin/heddled' \
		"$root/usr/local/lib/systemd/system/heddled.service" ||
		fail "the unit of /usr/local starts another program"
	say "files: $(grep -c '' "$E2E_DIR/is"), as expected"
}

# ---- shells: completion

# bash_says LINE: what bash offers at its end
bash_says() {
	bash --norc --noprofile -c '
		. config/completion/heddlectl.bash
		COMP_LINE=$1 COMP_POINT=${#1}
		_heddlectl
		printf "%s\n" "${COMPREPLY[@]}"' bash "$1" 2>&1
}

zsh_says() {
	zsh -f -c '
		compadd() { shift; print -rl -- ${(M)${(P)1}:#$PREFIX*} }
		_files() { print -rl -- ${PREFIX}*(N) }
		compdef() { : }
		source config/completion/_heddlectl
		words=("${(@z)1}")
		[[ $1 = *" " ]] && words+=("")
		CURRENT=${#words}
		PREFIX=${words[-1]}
		_heddlectl' zsh "$1" 2>&1
}

fish_says() {
	# shellcheck disable=SC2016
	HOME=$E2E_DIR fish --no-config -c '
		source config/completion/heddlectl.fish
		complete -C $argv[1]' "$1" 2>&1
}

# offers WHERE LINE WORD...: exactly these words
offers() {
	of_shell=$1
	of_line=$2
	shift 2
	printf '%s\n' "$@" | LC_ALL=C sort >"$E2E_DIR/want"
	"${of_shell}_says" "$B/heddlectl $of_line" | sed '/^$/d' |
		LC_ALL=C sort >"$E2E_DIR/is"
	[ -n "$*" ] || : >"$E2E_DIR/want"
	diff "$E2E_DIR/want" "$E2E_DIR/is" >"$E2E_DIR/diff" ||
		fail "$of_shell: '$of_line': $(cat "$E2E_DIR/diff")"
}

# in_shell NAME: what all of them do alike
in_shell() {
	offers "$1" "sta" status
	offers "$1" "to" topology
	offers "$1" "topology --format " table json ibnetdiscover svg dot \
		slurm slurm-yaml
	offers "$1" "plan --f" --fail --from
	offers "$1" "routes --sw" --switch
	offers "$1" "sweep " ""
	offers "$1" "status --wait-generation " ""
	offers "$1" "--socket $E2E_DIR/heddle.y" "$E2E_DIR/heddle.yaml"
	offers "$1" "--json plan --topology $E2E_DIR/heddle.y" \
		"$E2E_DIR/heddle.yaml"
	offers "$1" "links a" accept
	offers "$1" "routes h3" h3 h30 h31
	offers "$1" "routes h1 spine" spine1 spine2 spine3 spine4
	offers "$1" "routes --switch leaf" leaf1 leaf2 leaf3 leaf4 leaf5 leaf6 \
		leaf7 leaf8
}

knows_names() {
	"$B/heddlectl" complete -- routes h3 | grep -q h31
}

shells() {
	fabric demo "$E2E_DIR/fabric.net"
	# one node has a name that a shell reads as several words
	sed -i 's/"h32"/"MF0;L1:x y"/' "$E2E_DIR/fabric.net"
	serve "$E2E_DIR/fabric.net"
	E2E_SO=$B/libheddle-umad.so
	sm_start
	rest
	HEDDLE_SOCKET=$E2E_SOCKET
	export HEDDLE_SOCKET
	# names are read a moment after the first run
	soon knows_names || fail "no names"
	E2E_SHELLS=
	for shell in bash zsh fish; do
		if ! command -v $shell >/dev/null; then
			say "NOT CHECKED in $shell, which is not installed"
			continue
		fi
		HEDDLE_SOCKET=$E2E_SOCKET
		in_shell $shell
		offers $shell "groups " ""
		[ $shell != bash ] || {
			offers bash "routes MF" 'MF0\;L1:x\ y'
			offers bash "routes MF0\\;L1:x" 'x\ y'
			offers bash "routes 'MF0;L1" 'MF0;L1:x y'
		}
		[ $shell != zsh ] || offers zsh "routes MF" 'MF0;L1:x y'
		[ $shell != fish ] || offers fish "routes MF" 'MF0;L1:x y'
		# without a daemon: what needs none, at once and in silence
		HEDDLE_SOCKET=$E2E_DIR/none
		offers $shell "links " accept
		offers $shell "routes h3" ""
		E2E_SHELLS="$E2E_SHELLS $shell"
	done
	say "shells:$E2E_SHELLS"
}

# ---- alerts: what Prometheus says about them

alerts() {
	command -v promtool >/dev/null ||
		skip "promtool is not installed (prometheus)"
	promtool check rules config/monitoring/heddle-alerts.yaml \
		>"$E2E_DIR/said" 2>&1 || fail "$(cat "$E2E_DIR/said")"
	promtool test rules tests/golden/alerts.yaml >"$E2E_DIR/said" 2>&1 ||
		fail "$(cat "$E2E_DIR/said")"
	say "alerts: $(grep -c 'alert:' config/monitoring/heddle-alerts.yaml)"
}

case ${1:-} in
setup | desk | demo | files | shells | alerts) ;;
*)
	echo "usage: install.sh setup|desk|demo|files|shells|alerts" >&2
	exit 2
	;;
esac
case $1 in
setup | files | alerts) E2E_NEEDS="sh" ;;
*) E2E_NEEDS="ibnetdiscover dump_fts" ;;
esac
e2e_init
"$1"
