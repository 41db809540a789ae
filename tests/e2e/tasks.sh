#!/bin/sh
# Tasks of an administrator, from the installation on, on a simulated fabric.
#
# usage: tasks.sh installed	with what make install puts into a folder; build/
#				has the programs
#	 tasks.sh --run TASKS TRANSCRIPT
#				with the Heddle of this machine; deb.sh does it in
#				a Debian of its own, with no other file of tests/
#
# tasks.txt has the tasks. The transcript shows them as a reader would see them:
# the questions, the commands, and the answers.
#
#	TASKS_ROOT	in front of /etc/heddle; programs are found by PATH
#	TASKS_INSTALL	the command that installs Heddle
#
# There is no systemd: systemctl is a program that does what heddled.service
# says, on the first host of the fabric.
set -u

# ---- the tasks; nothing but POSIX and Heddle

# stop TEXT: it fails, with what was seen last
stop() {
	echo "FAIL: $*"
	[ ! -s "$work/answers" ] || tail -n 15 "$work/answers" | sed 's/^/    /'
	exit 1
}

# wait_for COMMAND...: until it is true
wait_for() {
	wf_left=600
	until "$@" >/dev/null 2>&1; do
		wf_left=$((wf_left - 1))
		[ $wf_left -gt 0 ] || return 1
		sleep 0.1
	done
}

# shellcheck disable=SC2317 # the tasks call it
sim() {
	heddle-sim ctl --name "$name" "$@"
}

# member KEY: that member of the status; json.awk is not there
member() {
	heddlectl --json status | awk -v path="$1" '{
		n = split(path, key, ".")
		for (i = 1; i <= n; i++) {
			if (key[i] ~ /^[0-9]+$/) {
				# the elements of a list are objects without
				# others in them
				for (k = 0; k < key[i]; k++)
					$0 = substr($0, index($0, "},{") + 2)
				continue
			}
			at = index($0, "\"" key[i] "\":")
			if (at == 0)
				exit 1
			$0 = substr($0, at + length(key[i]) + 3)
		}
		sub(/[,}\]].*/, "")
		gsub(/"/, "")
		print
	}'
}

is() {
	[ "$(member "$1")" = "$2" ]
}

becomes() {
	wait_for is "$1" "$2" || stop "$1 is $(member "$1"), not $2"
}

# settled: nothing is in progress, and the tables are right
settled() {
	becomes phase idle
	becomes dirty false
	wait_for sim judge || stop "$(sim judge 2>&1)"
}

more_passes() {
	[ "$(member health.passes)" -gt "$1" ]
}

# passes N: the counters of all ports have been read more than N times
passes() {
	wait_for more_passes "$1" || stop "no counters are read"
}

# stand_in: systemctl, for what the tasks want of it
stand_in() {
	mkdir -p "$work/bin" "$etc/heddle.yaml.d"
	cat >"$work/bin/systemctl" <<-EOT
		#!/bin/sh
		case "\$*" in
		'enable --now heddled')
			heddle-sim run --host h1 "$name" -- /bin/sh -c \\
				'echo \$\$ >"\$0"; exec "\$@"' "$work/pid" \\
				heddled -c "$etc/heddle.yaml" \\
				>>"$work/log" 2>&1 </dev/null &
			n=0
			until heddlectl routes h2 h20 >/dev/null 2>&1; do
				n=\$((n + 1))
				[ \$n -lt 600 ] || exit 1
				sleep 0.1
			done
			;;
		'reload heddled')
			heddled -c "$etc/heddle.yaml" --check-config >/dev/null &&
				kill -HUP "\$(cat "$work/pid")"
			;;
		*) exit 2 ;;
		esac
	EOT
	chmod +x "$work/bin/systemctl"
	PATH=$work/bin:$PATH
}

# fabric_up: it is there before anybody installs anything, if it can be
fabric_up() {
	[ -z "${fabric:-}" ] || return 0
	command -v heddle-sim >/dev/null || return 0
	fabric=yes
	heddle-sim generate fattree2 --spines 4 --leaves 8 --hosts 4 \
		>"$work/fabric" 2>/dev/null
	heddle-sim serve "$work/fabric" --name "$name" >"$work/sim" 2>&1 &
	wait_for grep -q 'ready as' "$work/sim" || stop "no fabric"
}

# type COMMAND: show it, run it, and show its answer
type_in() {
	typed=$((typed + 1))
	[ $typed -le 3 ] || stop "$title: more than three commands"
	echo "\$ $1" >>"$transcript"
	printf '%s\n' "$1" | sed "s|/etc/heddle|$etc|g" >"$work/command"
	# shellcheck disable=SC1091
	(. "$work/command") >"$work/answer" 2>&1 </dev/null
	rc=$?
	[ $rc = 0 ] || {
		cp "$work/answer" "$work/answers"
		stop "$title: $1: exit status $rc"
	}
	case $1 in
	apt-get* | make*) tail -n 2 "$work/answer" ;;
	*) cat "$work/answer" ;;
	esac >>"$transcript"
	cat "$work/answer" >>"$work/answers"
	fabric_up
}

# task LINE: a line of the tasks
task() {
	case $1 in
	'== '*)
		title=${1#== }
		typed=0
		: >"$work/answers"
		printf '\n%s\n\n' "$title" >>"$transcript"
		;;
	': '*) eval "${1#: }" >/dev/null || stop "$title: ${1#: }" ;;
	'$ @INSTALL@') type_in "$TASKS_INSTALL" ;;
	'$ '*) type_in "${1#\$ }" ;;
	'> '*)
		grep -qE -- "${1#> }" "$work/answers" ||
			stop "$title: no line like ${1#> }"
		;;
	'' | '#'*) ;;
	*) stop "a line that is none: $1" ;;
	esac
}

end_all() {
	[ ! -s "$work/pid" ] || kill "$(cat "$work/pid")" 2>/dev/null
	[ -z "${fabric:-}" ] || sim quit >/dev/null 2>&1
	rm -rf "$work"
}

run_tasks() {
	tasks=$1
	transcript=$2
	work=$(mktemp -d)
	name=tasks$$
	etc=${TASKS_ROOT:-}/etc/heddle
	trap end_all EXIT
	: >"$transcript"
	while IFS= read -r line; do
		case $line in
		'$ @INSTALL@')
			task "$line"
			stand_in
			;;
		*) task "$line" ;;
		esac
	done <"$tasks" || exit 1
	echo "OK: $(grep -c '^== ' "$tasks") tasks," \
		"$(grep -c '^\$ ' "$transcript") commands"
}

if [ "${1:-}" = --run ]; then
	run_tasks "$2" "$3"
	exit
fi

# ---- with what make install makes

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# installed: root has a place of its own for everything
installed() {
	root=$E2E_DIR/root
	mkdir -p "$root/etc/heddle"
	# where a test may write
	printf 'state: {dir: %s}\ncontrol: {socket: %s}\n' \
		"$E2E_DIR/state" "$E2E_DIR/sock" >"$root/etc/heddle/heddle.yaml"
	HEDDLE_SOCKET=$E2E_DIR/sock
	TASKS_ROOT=$root
	TASKS_INSTALL="make install DESTDIR=$root PREFIX=/usr"
	PATH=$root/usr/sbin:$root/usr/bin:$PATH
	export HEDDLE_SOCKET TASKS_ROOT TASKS_INSTALL PATH
	sh tests/e2e/tasks.sh --run tests/e2e/tasks.txt "$E2E_DIR/transcript" ||
		fail "the tasks"
	[ -z "${E2E_TRANSCRIPT:-}" ] ||
		cp "$E2E_DIR/transcript" "$E2E_TRANSCRIPT"
}

[ "${1:-}" = installed ] || {
	echo "usage: tasks.sh installed | --run TASKS TRANSCRIPT" >&2
	exit 2
}
E2E_NEEDS="make"
e2e_init
installed
