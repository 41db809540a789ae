#!/bin/sh
# usage: install.sh BUILD, from make install, with the places in the environment
set -eu
b=$1

# put MODE FILE DESTINATION
put() {
	# shellcheck disable=SC2086
	$INSTALL -D -m "$1" "$2" "$DESTDIR$3"
}

# page FILE: a manual page
page() {
	put 644 "man/$1" "$DATADIR/man/man${1##*.}/$1"
}

put 755 "$b/heddled" "$SBINDIR/heddled"
put 755 "$b/heddlectl" "$SBINDIR/heddlectl"
# heddle-sim looks for its library beside itself
put 755 "$b/heddle-sim" "$LIBDIR/heddle/heddle-sim"
put 644 "$b/libheddle-umad.so" "$LIBDIR/heddle/libheddle-umad.so"
mkdir -p "$DESTDIR$BINDIR"
ln -srf "$DESTDIR$LIBDIR/heddle/heddle-sim" "$DESTDIR$BINDIR/heddle-sim"

for f in man/*.[1-9]; do
	page "${f##*/}"
done
for f in heddled.service heddled@.service; do
	put 644 "$b/install/$f" "$LIBDIR/systemd/system/$f"
done
put 644 config/install/heddle.sysusers "$LIBDIR/sysusers.d/heddle.conf"
put 644 config/install/heddle.tmpfiles "$LIBDIR/tmpfiles.d/heddle.conf"
put 644 config/install/70-heddle.rules "$LIBDIR/udev/rules.d/70-heddle.rules"

put 644 config/completion/heddlectl.bash \
	"$DATADIR/bash-completion/completions/heddlectl"
put 644 config/completion/_heddlectl "$DATADIR/zsh/site-functions/_heddlectl"
put 644 config/completion/heddlectl.fish \
	"$DATADIR/fish/vendor_completions.d/heddlectl.fish"

"$b/heddled" --config-schema >"$b/install/heddle.schema.json"
put 644 "$b/install/heddle.schema.json" "$DATADIR/heddle/heddle.schema.json"
sed "s|/usr/share/heddle|$DATADIR/heddle|" config/examples/heddle.yaml \
	>"$b/install/heddle.yaml"
put 644 "$b/install/heddle.yaml" "$DATADIR/doc/heddle/examples/heddle.yaml"
for f in alerts.yaml dashboard.json; do
	put 644 "config/monitoring/heddle-$f" \
		"$DATADIR/doc/heddle/examples/heddle-$f"
done
put 644 README.md "$DATADIR/doc/heddle/README.md"
put 644 LICENSE "$DATADIR/doc/heddle/LICENSE"
[ -e "$DESTDIR$SYSCONFDIR/heddle/heddle.yaml" ] ||
	put 640 "$b/install/heddle.yaml" "$SYSCONFDIR/heddle/heddle.yaml"
mkdir -p "$DESTDIR$SYSCONFDIR/heddle/heddle.yaml.d"

[ -z "$DESTDIR" ] || exit 0
echo "Installed below $PREFIX. Nothing was started. What is left to do, as root:"
echo "  systemd-sysusers && systemd-tmpfiles --create   the user and its rights"
echo "  udevadm control --reload && udevadm trigger -s infiniband_mad"
echo "  systemctl daemon-reload && systemctl enable --now heddled"
