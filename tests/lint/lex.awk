# What a line of C holds, for the programs of this folder: lex_line(LINE) sets
#	code	the line without comments and without the content of its strings
#	said	its comments
#	quoted	the contents of its strings, with a blank between two
# A comment that goes on in the next line is remembered in lex_open; at the
# begin of each file lex_open = 0.
function lex_line(s,    at, c, end) {
	code = said = quoted = ""
	while (s != "") {
		if (lex_open) {
			end = index(s, "*/")
			if (!end) {
				said = said s
				return
			}
			said = said substr(s, 1, end - 1) " "
			s = substr(s, end + 2)
			lex_open = 0
			continue
		}
		at = match(s, /["']|\/\*|\/\//)
		if (!at) {
			code = code s
			return
		}
		code = code substr(s, 1, at - 1)
		c = substr(s, at, 1)
		if (c == "/") {
			if (substr(s, at + 1, 1) == "/") {
				said = said substr(s, at + 2)
				return
			}
			lex_open = 1
			s = substr(s, at + 2)
			code = code " "
			continue
		}
		s = substr(s, at + 1)
		end = 1
		while (end <= length(s) && substr(s, end, 1) != c)
			end += substr(s, end, 1) == "\\" ? 2 : 1
		if (c == "\"")
			quoted = quoted substr(s, 1, end - 1) " "
		code = code c c
		s = substr(s, end + 1)
	}
}
