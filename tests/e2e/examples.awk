# The examples of manual pages and of README.md, each with a line "== PAGE:LINE"
# before it. In a page it is a display (.Bd -literal, .Dl), or a command in the
# text (.Ql) that has an argument; in README.md an indented block. Prompts are
# removed; of a block with prompts what follows them is left out: it is output.
# A comment after a command, in two columns or after "#", is no part of it.
function page() {
	sub(/.*\//, "", FILENAME)
	return FILENAME
}

function begin() {
	print "== " page() ":" FNR
}

# unescape(TEXT): mdoc as it is shown
function unescape(text) {
	gsub(/\\&/, "", text)
	gsub(/\\e/, "\\", text)
	gsub(/\\-/, "-", text)
	return text
}

# is_command(LINE): it has a prompt, which is removed. "#" alone is one before a
# program of ours or systemctl; else it may begin a comment in what is printed.
function is_command(i) {
	if (block[i] ~ /^# (heddle|systemctl)/)
		return sub(/^# /, "", block[i])
	return sub(/^([a-z]+#|\$) /, "", block[i])
}

# flush(): print the block in hand
function flush(    i, command) {
	prompts = 0
	for (i = 1; i <= n; i++) {
		command = is_command(i) ||
			command && block[i - 1] ~ /([|\\]|&&)$/
		typed[i] = command
		prompts += command
	}
	for (i = 1; i <= n; i++)
		if (prompts == 0 || typed[i])
			print block[i]
	n = 0
}

FILENAME ~ /README/ {
	if (/^## /)
		desk = /A fabric on your desk/
	# the section that install.sh desk runs
	if (/^    / && !desk && !(was ~ /^    /))
		begin()
	# a second line of what is said of a command stands far to the right
	if (/^    / && !desk && !(n && /^                    /)) {
		n = 1
		line = substr($0, 5)
		if (line ~ /^[a-z]/)
			sub(/  +[^ ].*$/, "", line)
		sub(/  +# .*/, "", line)
		print line
	}
	was = $0
	if (!/^    /)
		n = 0
	next
}

/^\.Bd -literal/ { inside = 1; begin(); next }
/^\.Ed/ && inside { inside = 0; flush(); next }
inside && /^\.[A-Z]/ { next }
inside { block[++n] = unescape($0); next }
/^\.Dl / { begin(); print unescape(substr($0, 5)) }
/^\.Ql (heddlectl|heddled|heddle-sim) / {
	line = substr($0, 5)
	sub(/ [.,;:]$/, "", line)
	begin()
	print unescape(line)
}
