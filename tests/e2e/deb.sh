#!/bin/sh
# The Debian packages of build/deb, installed into a Debian of their own from
# the mirror that this machine's apt has: nothing is enabled or started, what
# they hold works together, and nothing is left of them when they are purged.
# systemctl is a program that writes down what it was asked.
#
# Where buildah is installed, an image of a container is made from them, too.
#
# usage: deb.sh packages
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

WANT=etc/systemd/system/multi-user.target.wants/heddled.service

# mirror: "SITE CODENAME" of this machine's Debian
mirror() {
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(SITE) $(CODENAME)' \
		'Created-By: Packages' 'Origin: Debian' 'Label: Debian' \
		'Component: main' 2>/dev/null | grep -v -- '-updates$' |
		head -n 1
}

# base: build/deb-work/root.tar, the packages of a small Debian, made once
base() {
	[ ! -s build/deb-work/root.tar ] || return 0
	# shellcheck disable=SC2046
	set -- $(mirror)
	[ $# = 2 ] || skip "apt knows no mirror of Debian"
	debootstrap --variant=minbase \
		--include=systemd-standalone-sysusers,systemd-standalone-tmpfiles \
		"$2" "$E2E_DIR/base" "$1" >"$E2E_DIR/said" 2>&1 ||
		skip "no Debian from $1: $(tail -n 1 "$E2E_DIR/said")"
	chroot "$E2E_DIR/base" apt-get clean
	tar -C "$E2E_DIR/base" -cf "$E2E_DIR/root.tar" .
	mv "$E2E_DIR/root.tar" build/deb-work/root.tar
	rm -rf "$E2E_DIR/base"
}

# inside COMMAND...: in that Debian; its mounts end with the command
inside() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t proc proc "$1/proc" && shift &&
		exec chroot "$@"' sh "$root" "$root" \
		env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@" \
		>"$E2E_DIR/said" 2>&1 </dev/null
}

# ok COMMAND...: inside, and it must end well
ok() {
	inside "$@" || fail "$*: $(tail -n 5 "$E2E_DIR/said")"
}

# listing: the files of the Debian but those in which apt remembers, and the
# copies that are made of lists of users
listing() {
	(cd "$root" && find . \( -path ./proc -o -path ./var/cache -o \
		-path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./tmp -o \
		-path ./var/log -o -path './etc/*-' \) -prune -o -print) | LC_ALL=C sort
}

# asked_only WORD...: of systemd nothing else was asked about our units
asked_only() {
	grep heddle "$root/tmp/asked" 2>/dev/null >"$E2E_DIR/asked"
	for word; do
		grep -q -- "$word" "$E2E_DIR/asked" ||
			fail "systemctl was not asked to $word"
		sed -i "/$word/d" "$E2E_DIR/asked"
	done
	[ ! -s "$E2E_DIR/asked" ] ||
		fail "systemctl was asked to $(cat "$E2E_DIR/asked")"
	: >"$root/tmp/asked"
}

prepare() {
	root=$E2E_DIR/root
	mkdir -p "$root"
	tar -C "$root" -xf build/deb-work/root.tar
	cp build/deb/heddle*_*.deb "$root/tmp"
	rm -f "$root"/tmp/*-dbgsym_*
	inside apt-get update -q ||
		skip "no lists of packages: $(tail -n 1 "$E2E_DIR/said")"
	mkdir -p "$root/run/systemd/system"
	cat >"$root/usr/bin/systemctl" <<-'EOT'
		#!/bin/sh
		echo "$*" >>/tmp/asked
	EOT
	chmod +x "$root/usr/bin/systemctl"
}

installed() {
	ok sh -c 'apt-get install -y -q --no-install-recommends /tmp/heddle*.deb'
	asked_only
	[ ! -L "$root/$WANT" ] || fail "heddled.service is enabled"
	[ "$(inside stat -c '%a %U %G' /etc/heddle/heddle.yaml &&
		cat "$E2E_DIR/said")" = "640 root heddle" ] ||
		fail "/etc/heddle/heddle.yaml: $(cat "$E2E_DIR/said")"
}

works() {
	ok setpriv --reuid heddle --regid heddle --clear-groups \
		/usr/sbin/heddled -c /etc/heddle/heddle.yaml --check-config
	ok heddlectl help
	grep -q '^usage: heddlectl' "$E2E_DIR/said" || fail "no help"
	ok sh -c 'heddle-sim generate fattree2 --spines 4 --leaves 8 \
		--hosts 4 >/tmp/fabric'
	ok heddle-sim run --host h1 /tmp/fabric -- heddled --once
	grep -q ' hosts=32 ' "$E2E_DIR/said" ||
		fail "no fabric: $(cat "$E2E_DIR/said")"
	ok heddlectl plan --topology /tmp/fabric --fail spine1
	ok sh -c 'ls /usr/share/doc/heddle/README.md* &&
		ls /usr/share/doc/heddle/examples/heddle.yaml \
			/usr/share/doc/heddle/examples/heddle-alerts.yaml* \
			/usr/share/doc/heddle/examples/heddle-dashboard.json*'
	site=/etc/heddle/heddle.yaml.d/50-site.yaml
	echo 'fabric: {priority: 7}' >"$root$site"
	ok heddlectl config show --origin --config /etc/heddle/heddle.yaml
	grep -q "^fabric.priority  *7  *$site:1\$" "$E2E_DIR/said" ||
		fail "the drop-in is not read"
	rm "$root$site"
}

replaced() {
	echo '# own' >>"$root/etc/heddle/heddle.yaml"
	ok sh -c 'apt-get install -y -q --reinstall /tmp/heddle_*.deb'
	asked_only 'try-restart heddled.service' 'try-restart heddled@'
	grep -qx '# own' "$root/etc/heddle/heddle.yaml" ||
		fail "the configuration was written over"
}

purged() {
	mkdir -p "$root/${WANT%/*}" "$root/var/lib/heddle"
	ln -s /lib/systemd/system/heddled.service "$root/$WANT"
	: >"$root/var/lib/heddle/state"
	ok sh -c 'apt-get purge -y -q --autoremove heddle heddle-tools \
		heddle-sim heddle-doc'
	asked_only 'stop heddled.service heddled@'
	listing >"$E2E_DIR/after"
	diff "$E2E_DIR/before" "$E2E_DIR/after" >"$E2E_DIR/left" ||
		fail "left: $(cat "$E2E_DIR/left")"
}

# tasks: tasks.txt, from the packages on; the transcript is build/tasks.txt
tasks() {
	cp tests/e2e/tasks.sh tests/e2e/tasks.txt "$root/tmp"
	ok env TASKS_INSTALL="apt-get install -y ./heddle_*.deb \
./heddle-tools_*.deb ./heddle-sim_*.deb" \
		sh -c 'cd /tmp && sh tasks.sh --run tasks.txt transcript'
	cp "$root/tmp/transcript" build/tasks.txt
	say "tasks: $(tail -n 1 "$E2E_DIR/said"): see build/tasks.txt"
}

# image: config/install/Containerfile on top of that Debian
image() {
	command -v buildah >/dev/null || {
		say "NOT CHECKED in a container: buildah is not installed"
		return
	}
	printf '[storage]\ndriver = "vfs"\nrunroot = "%s"\ngraphroot = "%s"\n' \
		"$E2E_DIR/run" "$E2E_DIR/graph" >"$E2E_DIR/storage.conf"
	BUILDAH_ISOLATION=chroot
	CONTAINERS_STORAGE_CONF=$E2E_DIR/storage.conf
	export BUILDAH_ISOLATION CONTAINERS_STORAGE_CONF
	{
		base=$(buildah from scratch) &&
			buildah add "$base" build/deb-work/root.tar / &&
			buildah commit "$base" localhost/debian &&
			make --no-print-directory image BASE=localhost/debian
	} >"$E2E_DIR/said" 2>&1 || fail "image: $(tail -n 5 "$E2E_DIR/said")"
	made=$(buildah from heddle)
	[ "$(buildah inspect --format '{{.OCIv1.Config.User}}
		{{.OCIv1.Config.Volumes}}' "$made" | tr -d '\n\t')" = \
		"heddlemap[/var/lib/heddle:{}]" ] ||
		fail "another user, or other volumes"
	buildah run "$made" -- sh -c 'heddled --check-config &&
		heddlectl help && touch /var/lib/heddle/state /run/heddle/sock' \
		>"$E2E_DIR/said" 2>&1 ||
		fail "in the container: $(tail -n 5 "$E2E_DIR/said")"
	# the simulated fabric is not in the image
	dpkg-deb -x build/deb/heddle-sim_*.deb "$E2E_DIR/sim"
	buildah run -v "$E2E_DIR/sim/usr/lib/heddle:/sim:ro" "$made" -- sh -c '
		id -un
		/sim/heddle-sim generate fattree2 --spines 4 --leaves 8 \
			--hosts 4 >/tmp/fabric
		/sim/heddle-sim run --host h1 /tmp/fabric -- heddled --once' \
		>"$E2E_DIR/said" 2>&1 ||
		fail "in the container: $(tail -n 5 "$E2E_DIR/said")"
	grep -qx heddle "$E2E_DIR/said" || fail "it runs as another user"
	grep -q ' hosts=32 ' "$E2E_DIR/said" ||
		fail "no fabric in the container: $(tail -n 5 "$E2E_DIR/said")"
	say "image: a fabric comes up, by a user without privileges"
}

[ "${1:-}" = packages ] || {
	echo "usage: deb.sh packages" >&2
	exit 2
}
E2E_NEEDS="apt-get debootstrap unshare"
e2e_init
[ "$(id -u)" = 0 ] || skip "only root makes a Debian in a directory"
sh config/install/deb.sh --made ||
	skip "build/deb is not of this source: make deb-check does this"
base
prepare
listing >"$E2E_DIR/before"
installed
works
replaced
purged
tasks
image
say "deb: $(grep -c '' "$E2E_DIR/before") files before and after"
