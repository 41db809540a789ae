# Checks the ports in ibsim's Dump: every port with a link must be Active, every
# end port must have a LID and the subnet manager's. Exit 1 otherwise.
BEGIN {
	FS = "\t"
}

function complain(what) {
	bad++
	if (bad <= 5)
		print node ": " what ": " $0
}

function number_after(word,    at) {
	at = index($0, word)
	return at ? substr($0, at + length(word)) + 0 : 0
}

/^(Switch|Ca|Rt|Hca) / {
	split($0, q, "\"")
	node = q[2]
	is_switch = $0 ~ /^Switch/
	nodes++
}

$2 ~ /^\[[0-9]+\]$/ {
	port = substr($2, 2) + 0
	state = $NF
	sub(/.* /, "", state)
	if (is_switch && port == 0) {
		ends++
		if (!number_after(" lid ") || !number_after(" smlid "))
			complain("no LID")
		next
	}
	if ($3 !~ /^"/)
		next
	linked++
	if (state != "Active/LinkUp")
		complain("not Active")
	else
		active++
	if (!is_switch) {
		ends++
		if (!number_after(" lid ") || !number_after(" smlid "))
			complain("no LID")
	}
}

END {
	printf "states: %d nodes, %d ports with a cable, %d Active, %d ends" \
		" with LIDs, %d wrong\n", nodes, linked, active, ends, bad
	exit bad || !linked
}
