# The entries for one LID (-v lid=N) out of ibsim's Dump, as dump_fts would
# print them. dump_fts rounds LinearFDBTop up to blocks without adding one
# first, and so omits the highest LID if it is a multiple of 64.
/^(Switch|Ca|Rt|Hca) / {
	guid = ""
	if ($1 == "Switch" && match($0, /nodeguid [0-9a-f]+/))
		guid = substr($0, RSTART + 9, RLENGTH - 9)
}

guid != "" && /^#.*Forwarding table/ {
	if (!match($0, "\\[" lid "\\][0-9A-F]+"))
		next
	out = substr($0, RSTART, RLENGTH)
	sub(/.*\]/, "", out)
	printf "Unicast lids of switch guid 0x%s:\n0x%04x %03d\n", guid, lid,
		hex(out)
}

function hex(s,    i, v) {
	for (i = 1; i <= length(s); i++)
		v = v * 16 + index("123456789ABCDEF", substr(s, i, 1))
	return v
}
