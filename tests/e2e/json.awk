# JSON on stdin as lines "a.b.0.c<TAB>value". Strings lose their quotes and keep
# their escapes: enough for the tests, without a JSON package.
{
	text = text $0 "\n"
}

function space() {
	while (substr(text, at, 1) ~ /[ \t\r\n]/)
		at++
}

function string(    from, c) {
	from = ++at
	while ((c = substr(text, at, 1)) != "\"" && c != "")
		at += c == "\\" ? 2 : 1
	at++
	return substr(text, from, at - from - 1)
}

function value(path,    c, n, key, from) {
	space()
	c = substr(text, at, 1)
	if (c == "{" || c == "[") {
		at++
		for (n = 0; ; n++) {
			space()
			if (substr(text, at, 1) ~ /[]}]/ || at > length(text))
				break
			key = n
			if (c == "{") {
				key = string()
				space()
				at++
			}
			value(path == "" ? key : path "." key)
			space()
			if (substr(text, at, 1) == ",")
				at++
		}
		at++
	} else if (c == "\"") {
		print path "\t" string()
	} else {
		from = at
		while (substr(text, at, 1) ~ /[-+.0-9A-Za-z]/)
			at++
		if (at == from)
			at++
		print path "\t" substr(text, from, at - from)
	}
}

END {
	at = 1
	value("")
}
