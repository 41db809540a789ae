# usage: awk -f lex.awk -f index.awk FILE... pass=2 FILE...
# Functions and exported data of C files, and where they are named:
#	def FILE LINE NAME export|static LINES
#	use FILE LINE NAME IN		IN: the function, or - in a table or macro
# It relies on the format that clang-format makes: a definition begins at the
# start of a line, its type stands in the line before. A declaration is no use.
FNR == 1 {
	lex_open = 0
	body = depth = start = 0
	macro = 0
	before = ""
}
{
	lex_line($0)
}
pass != 2 {
	if (code ~ /^[a-z_][a-z0-9_]*\(/ && code !~ /;[ \t]*$/) {
		name = code
		sub(/\(.*/, "", name)
		kind = before ~ /^static / ? "static" : "export"
	} else if (code ~ /^[a-z].*[a-z0-9_\]] = *[{&"0-9A-Z]/ &&
			code !~ /^enum / && code !~ /\(.* =/) {
		name = code
		sub(/ =.*/, "", name)
		gsub(/\[[^\]]*\]/, "", name)
		sub(/.*[ *]/, "", name)
		if (code !~ /^static /) {
			printf "def %s %d %s export 0\n", FILENAME, FNR, name
			data[FILENAME, name] = known[name] = 1
		}
	}
	if (code ~ /^{/)
		start = FNR
	if (code ~ /^}/ && start && name != "") {
		printf "def %s %d %s %s %d\n", FILENAME, start, name, kind,
			FNR - start - 1
		known[name] = 1
		start = 0
		name = ""
	}
	before = code
	next
}
{
	if (code ~ /^[a-z_][a-z0-9_]*\(/ && code !~ /;[ \t]*$/) {
		inside = code
		sub(/\(.*/, "", inside)
		heading = 1
	}
	if (code ~ /^#[ \t]*define/)
		macro = 1
	counts = depth > 0 || macro
	rest = code
	if (!macro) {
		opened = gsub(/{/, "{", code)
		closed = gsub(/}/, "}", code)
		# the one line of a table: static const x[] = {a, b};
		if (!counts && opened)
			sub(/^[^{]*/, "", rest)
		if (!counts && !opened && rest ~ / = /) {
			sub(/.* = /, "", rest)
			opened = 1
			closed++
		}
	}
	if (counts || opened) {
		# neither a member nor a tag is a use: x.name, x->name, struct name
		gsub(/(\.|->|struct |enum )[ \t]*[A-Za-z_][A-Za-z0-9_]*/, " ", rest)
		while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
			word = substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
			if (word in known)
				print "use", FILENAME, FNR, word, \
					(depth > 0 && heading ? inside : "-")
		}
	}
	if (!macro)
		depth += opened - closed
	if (code ~ /^}/) {
		depth = 0
		heading = 0
	}
	if (macro && code !~ /\\$/)
		macro = 0
}
