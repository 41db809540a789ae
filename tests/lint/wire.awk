# usage: awk -f lex.awk -f wire.awk except.txt FILE...
# Numbers of the wire belong to sm/mad, under a name: port states, traps,
# management classes, capability bits, and the ranges of LIDs, P_Keys, MLIDs and
# Q_Keys. A line of except.txt is wire FILE NUMBER-OR-NAME : REASON;
# FILE * stands for every file.
function report(what) {
	if ((FILENAME, what) in except)
		used[FILENAME, what] = 1
	else if (("*", what) in except)
		used["*", what] = 1
	else {
		printf "%s:%d: %s is a number of the wire: sm/mad/wire.h\n",
			FILENAME, FNR, what
		bad = 1
	}
}
FNR == 1 {
	lex_open = 0
	nfile++
}
nfile == 1 {
	if ($1 == "wire")
		except[$2, $3] = FNR
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
	for (e in except)
		if (!(e in used)) {
			split(e, p, SUBSEP)
			printf "tests/lint/except.txt:%d: %s is not in %s\n",
				except[e], p[2], p[1]
			bad = 1
		}
	exit bad
}
