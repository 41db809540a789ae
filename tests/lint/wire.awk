# usage: awk -f lex.awk -f wire.awk except.txt FILE...
# Numbers of the wire belong to sm/mad, under a name: port states, traps,
# management classes, capability bits, and the ranges of LIDs, P_Keys, MLIDs and
# Q_Keys. A line of except.txt is wire FILE NUMBER-OR-NAME : REASON;
# a * in FILE stands for anything, as the other for all of them.
function glob(pattern) {
	gsub(/\./, "[.]", pattern)
	gsub(/\*/, ".*", pattern)
	return "^" pattern "$"
}
function report(what,    i) {
	for (i = 1; i <= nexcept; i++)
		if ((except_what[i] == what || except_what[i] == "*") &&
				FILENAME ~ except_file[i]) {
			used[i] = 1
			return
		}
	printf "%s:%d: %s is a number of the wire, which has its name in sm/mad\n",
		FILENAME, FNR, what
	bad = 1
}
FNR == 1 {
	lex_open = 0
	nfile++
}
nfile == 1 {
	if ($1 == "wire") {
		except_file[++nexcept] = glob($2)
		except_what[nexcept] = $3
		except_line[nexcept] = FNR
	}
	next
}
{
	lex_line($0)
	rest = tolower(code)
	while (match(rest, /0x[0-9a-f]+/)) {
		word = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (word ~ /^0x(7fff|8000|bfff|c000|3ffe|3fff|fffd|80010000|fe80000000000000)$/)
			report(word)
	}
	rest = code
	while (match(rest, /[A-Z][A-Z0-9_]+ = [^=]/)) {
		word = substr(rest, RSTART, RLENGTH - 4)
		rest = substr(rest, RSTART + RLENGTH - 1)
		if (rest ~ /^[A-Z]/) # named by another constant
			continue
		if (word ~ /^(TRAP|CAP|CAP2|PHYS|METHOD|QP1|QKEY)(_|$)/ ||
		    word ~ /(^|_)(PORT|STATE|LINK)_(DOWN|INIT|ARMED|ACTIVE|UP)$/ ||
		    word ~ /^(DOWN|INIT|ARMED|ACTIVE|POLLING|LINK_UP|MASTER|STANDBY)$/)
			report(word)
	}
	if (match(code, /(port|phys|link|sm)_state[a-z_]* [=!<>]=? [0-9]/))
		report(substr(code, RSTART, RLENGTH))
}
END {
	for (i = 1; i <= nexcept; i++)
		if (!used[i]) {
			printf "tests/lint/except.txt:%d: needed by nothing\n",
				except_line[i]
			bad = 1
		}
	exit bad
}
