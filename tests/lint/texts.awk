# usage: awk -f lex.awk -f texts.awk except.txt FILE...
# A text for people decides nothing: no comparison with a sentence, none with a
# cause, a reason or a message. A line of except.txt is text FILE : REASON.
# call_of: the arguments of the call that s begins with, "" if it goes on later
function call_of(s,    i, c, depth, quote) {
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (quote) {
			if (c == "\\")
				i++
			else if (c == "\"")
				quote = 0
		} else if (c == "\"")
			quote = 1
		else if (c == "(")
			depth++
		else if (c == ")" && --depth == 0)
			return substr(s, 1, i)
	}
	return ""
}
FNR == 1 {
	lex_open = 0
	nfile++
	open_call = ""
}
nfile == 1 {
	if ($1 == "text")
		except[$2] = FNR
	next
}
{
	lex_line($0)
	raw = code ~ /"/ ? $0 : code
	if (open_call == "") {
		if (!match(raw, /(^|[^a-z_])(strcmp|strncmp|strstr|strcasecmp|strncasecmp)\(/))
			next
		open_call = substr(raw, RSTART + 1)
		first = FNR
	} else
		open_call = open_call raw
	call = call_of(open_call)
	if (call == "" && FNR < first + 8)
		next
	open_call = ""
	if (call ~ /"[^"]*[a-z] [a-z][^"]*"/ ||
	    call ~ /[^a-z](cause|causes|why|reason|message|logged)(->text|\.text)?[,)]/) {
		if (FILENAME in except)
			used[FILENAME] = 1
		else {
			printf "%s:%d: compares a text for people\n", FILENAME, first
			bad = 1
		}
	}
}
END {
	for (f in except)
		if (!(f in used)) {
			printf "tests/lint/except.txt:%d: %s compares no text\n",
				except[f], f
			bad = 1
		}
	exit bad
}
