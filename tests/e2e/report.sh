#!/bin/sh
# heddlectl report on heddle-sim. usage: report.sh WHAT
#	browser	the page in chromium: path, search, keys, colours, no text on
#		text, names that are no markup, nothing on the console
#	size-FABRIC	the page of a larger one: all is drawn, in sight, and can
#		be read
#	input	wrong words, no daemon, files that cannot be written, a standby
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

# report ARGUMENTS...: its output in report.out and report.err
report() {
	ctl report "$@" >"$E2E_DIR/report.out" 2>"$E2E_DIR/report.err"
}

# refused CODE TEXT ARGUMENTS...: it exits so, and says that
refused() {
	refused_code=$1
	refused_text=$2
	shift 2
	report "$@"
	refused_is=$?
	[ "$refused_is" = "$refused_code" ] ||
		fail "report $*: code $refused_is, not $refused_code"
	grep -qF -- "$refused_text" "$E2E_DIR/report.err" ||
		fail "report $* says: $(cat "$E2E_DIR/report.err")"
}

# traced FROM TO: the switches of the path by heddlectl, as the page lists them:
# number, name, in-port, out-port, rate
traced() {
	ctl --json routes "$1" "$2" >"$E2E_DIR/path.json" || fail "routes"
	json_flat <"$E2E_DIR/path.json" | awk -F'\t' '
		/^path[.][0-9]+[.](name|in|out)\t/ {
			split($1, k, ".")
			is[k[2] k[3]] = $2
		}
		END { printf "1%s%s%s4x HDR", is["0name"], is["0in"], is["0out"] }'
}

# judged SCRIPT START ADDRESS: chromium shows the page with this script behind
# its own, which begins with that line and gives a verdict
judged() {
	chromium=$(command -v chromium || command -v chromium-browser) ||
		skip "chromium is not installed: the page was not looked at"
	{
		sed '/^<\/body>/,$d' "$E2E_DIR/page.html"
		printf '<script>%s\n' "$2"
		cat tests/e2e/report_judge.js "$1"
		printf '</script>\n</body></html>\n'
	} >"$E2E_DIR/test.html"
	look "$E2E_DIR/test.html$3"
	! grep -a 'CONSOLE' "$E2E_DIR/chromium.log" ||
		fail "the console of the browser has messages"
	sed -n '/<pre id="verdict">/,/^end/p' "$E2E_DIR/dom" >"$E2E_DIR/verdict"
	grep -q '^end' "$E2E_DIR/verdict" || fail "the page gave no verdict"
	! grep '^FAIL' "$E2E_DIR/verdict" || fail "the page is not right"
	say "$(grep -c '^ok' "$E2E_DIR/verdict") checks in the browser"
}

test_size() {
	sm_start
	rest
	report -o "$E2E_DIR/page.html" ||
		fail "report: $(cat "$E2E_DIR/report.err")"
	judged tests/e2e/report_size.js \
		"window.switches = $(grep -c '^Switch' "$E2E_DIR/fabric.net");" ""
}

test_browser() {
	sim rename leaf5 '</script><script>window.bad=1</script>' ||
		fail "rename"
	sim rename h7 '<svg/onload=window.bad=2>' || fail "rename"
	sm_start
	rest
	# leaf7 is left with spine4, and with spine1, which is drained
	for l in spine4/1 spine2/7 spine3/7; do
		sim link "$l" down || fail "link"
	done
	soon missing 3 || fail "the links are not missing"
	rest
	ctl drain spine1 >/dev/null || fail "drain"
	rest
	report -o "$E2E_DIR/page.html" ||
		fail "report: $(cat "$E2E_DIR/report.err")"
	grep -q '^wrote .*page.html, 0.1 MB' "$E2E_DIR/report.out" ||
		fail "it says: $(cat "$E2E_DIR/report.out")"
	page_asks_nothing
	judged tests/e2e/report.js "window.expected = \"$(traced h31 h1)\";" \
		"#path=h1,h32"
}

missing() {
	[ "$(status_get missing.links)" = "$1" ]
}

# page_asks_nothing: no address is in the page but the name of SVG
page_asks_nothing() {
	grep -oE '(https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^"]*' \
		"$E2E_DIR/page.html" | sort -u >"$E2E_DIR/addresses"
	[ "$(cat "$E2E_DIR/addresses")" = http://www.w3.org/2000/svg ] ||
		fail "it has addresses: $(cat "$E2E_DIR/addresses")"
	grep -q "Content-Security-Policy.*default-src 'none'" \
		"$E2E_DIR/page.html" || fail "it may load something"
}

# look ADDRESS: the page as it is after its scripts have run, in dom
look() {
	timeout 90 "$chromium" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$E2E_DIR/browser" --enable-logging=stderr \
		--window-size=1500,950 --virtual-time-budget=10000 --dump-dom \
		"file://$1" >"$E2E_DIR/dom" 2>"$E2E_DIR/chromium.log" ||
		fail "chromium: $(tail -n 3 "$E2E_DIR/chromium.log")"
}

test_input() {
	sm_config
	refused 3 'heddled is not running' -o "$E2E_DIR/page.html"
	[ ! -e "$E2E_DIR/page.html" ] || fail "it wrote something"
	refused 2 '-o FILE is missing'
	[ "$(ctl complete -- report -o '')" = :file ] || fail "no file after -o"
	refused 2 "unexpected argument 'x'" -o y x
	refused 2 "unknown option '--outptu'; did you mean '--output'?" \
		--outptu x
	sm_start
	rest
	refused 1 '/nowhere/page.html: No such file or directory' \
		-o /nowhere/page.html
	refused 1 "$E2E_DIR: is not a regular file" -o "$E2E_DIR"
	ctl report --json -o "$E2E_DIR/page.html" >"$E2E_DIR/report.json" ||
		fail "report as JSON"
	[ "$(json_get "$E2E_DIR/report.json" file)" = "$E2E_DIR/page.html" ] ||
		fail "it says: $(cat "$E2E_DIR/report.json")"
	! ls "$E2E_DIR"/page.html.* 2>/dev/null || fail "it left a file"
	a_standby
}

# a_standby: its page is that of a standby, and has the same switches
a_standby() {
	master=$E2E_SM_PID
	first=$E2E_SOCKET
	sed "s,$E2E_DIR/,$E2E_DIR/b/," "$E2E_CONF" >"$E2E_DIR/b.yaml"
	mkdir "$E2E_DIR/b"
	chmod o= "$E2E_DIR/b.yaml"
	E2E_SM_HOST=$E2E_TOOL_HOST
	sm_launch "$B/heddled" -c "$E2E_DIR/b.yaml"
	E2E_SOCKET=$E2E_DIR/b/heddle.sock
	soon has_role standby || fail "it is $(status_get role)"
	soon report -o "$E2E_DIR/b.html" ||
		fail "a standby: $(cat "$E2E_DIR/report.err")"
	grep -q '"standby":{"read":' "$E2E_DIR/b.html" ||
		fail "the page does not say that a standby made it"
	! grep -q '"standby":{"read":' "$E2E_DIR/page.html" ||
		fail "the page of the master says so, too"
	stop_pid "$E2E_SM_PID"
	E2E_SM_PID=$master
	E2E_SOCKET=$first
}

has_role() {
	[ "$(status_get role)" = "$1" ]
}

E2E_NEEDS="awk"
e2e_init
case ${1:-} in
browser | input) set -- "$1" demo ;;
size-*) set -- size "${1#size-}" ;;
*) fail "usage: report.sh browser|input|size-FABRIC" ;;
esac
E2E_SO=$B/libheddle-umad.so
fabric "$2" "$E2E_DIR/fabric.net"
serve "$E2E_DIR/fabric.net"
"test_$1"
say "OK: report $1"
