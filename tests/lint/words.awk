# usage: awk -f lex.awk -f words.awk words.txt except.txt FILE...
# Prints FILE:LINE: WORD: what the glossary says, for identifiers and text.
# A line of words.txt is WHERE WORD : INSTEAD. WHERE is id (a part of an
# identifier between underscores) or text (comments, strings, manuals: an
# extended regular expression, between blanks or the like). A line of
# except.txt is words PATH WORD : REASON; a * in PATH stands for anything.
function glob(pattern) {
	gsub(/\./, "[.]", pattern)
	gsub(/\*/, ".*", pattern)
	return "^" pattern "$"
}
function excused(word,    i) {
	for (i = 1; i <= nexcept; i++)
		if ((except_word[i] == word || except_word[i] == "*") &&
				FILENAME ~ except_path[i]) {
			used[i] = 1
			return 1
		}
	return 0
}
function report(word, where) {
	if (!excused(word))
		printf "%s:%d: %s: %s\n", FILENAME, FNR, word, instead[where, word]
}
function judge_text(s,    i) {
	if (s !~ /[a-z]/)
		return
	s = " " tolower(s) " "
	if (s !~ any_text)
		return
	for (i = 1; i <= ntext; i++)
		if (s ~ text[i])
			report(text_word[i], "text")
}
function judge_names(s,    n, i, names, m, j, part) {
	n = split(tolower(s), names, /[^a-z0-9_]+/)
	for (i = 1; i <= n; i++) {
		if (names[i] in clean)
			continue
		m = split(names[i], part, "_")
		bad = 0
		for (j = 1; j <= m; j++)
			if (part[j] in id) {
				report(part[j], "id")
				bad = 1
			}
		if (!bad)
			clean[names[i]] = 1
	}
}
FNR == 1 {
	lex_open = 0
	nfile++
}
/^#/ && nfile <= 2 || nfile <= 2 && NF == 0 {
	next
}
nfile == 1 {
	at = index($0, " : ")
	word = substr($0, 1, at - 1)
	sub(/^[a-z]+ +/, "", word)
	sub(/ +$/, "", word)
	instead[$1, word] = substr($0, at + 3)
	if ($1 == "id")
		id[word] = 1
	else {
		text_word[++ntext] = word
		text[ntext] = "[^a-z0-9_]" word "[^a-z0-9_]"
		any_text = any_text (ntext > 1 ? "|" : "") text[ntext]
	}
	next
}
nfile == 2 {
	if ($1 == "words") {
		except_path[++nexcept] = glob($2)
		except_word[nexcept] = $3
		except_line[nexcept] = FNR
	}
	next
}
FILENAME ~ /\.[ch]$/ {
	lex_line($0)
	judge_names(code)
	judge_text(said)
	# one word is a name, of a member of JSON for example
	if (code !~ /^#/ && quoted ~ /[^ ] [^ ]/)
		judge_text(quoted)
	next
}
{
	judge_text($0)
}
END {
	for (i = 1; i <= nexcept; i++)
		if (!used[i])
			printf "tests/lint/except.txt:%d: needed by nothing\n",
				except_line[i]
}
