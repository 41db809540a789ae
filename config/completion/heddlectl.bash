# Completion of heddlectl for bash: heddlectl itself says what could come next.
#
# The words of the line are taken from its text, since bash splits them at ':'
# as well, which is part of many names of nodes.

# the words before the cursor, without their quotes, into the array words; the
# last one as it was typed into typed
_heddlectl_words() {
	local text=$1 word='' quote='' c i begun=
	words=() typed=''
	for ((i = 0; i < ${#text}; i++)); do
		c=${text:i:1}
		if [[ $c == \\ && $quote != \' ]]; then
			typed+=$c${text:i+1:1}
			word+=${text:i+1:1}
			i=$((i + 1)) begun=1
		elif [[ -n $quote ]]; then
			typed+=$c
			if [[ $c == "$quote" ]]; then quote=''; else word+=$c; fi
		elif [[ $c == \' || $c == \" ]]; then
			quote=$c typed+=$c begun=1
		elif [[ $c == [[:space:]] ]]; then
			[[ -z $begun ]] || words+=("$word")
			word='' typed='' begun=
		else
			word+=$c typed+=$c begun=1
		fi
	done
	words+=("$word")
}

_heddlectl() {
	local words typed c kept
	_heddlectl_words "${COMP_LINE:0:COMP_POINT}"
	COMPREPLY=()
	while IFS= read -r c; do
		if [[ $c == :file ]]; then
			compopt -o filenames 2>/dev/null
			while IFS= read -r c; do
				COMPREPLY+=("$c")
			done < <(compgen -f -- "${words[-1]}")
			continue
		fi
		# within quotes as it is, else with what the shell needs
		if [[ $typed != [\"\']* ]]; then
			printf -v c %q "$c"
			# bash replaces only what follows the last ':' or '='
			if [[ $typed == *[:=]* ]]; then
				kept=${typed%"${typed##*[:=]}"}
				c=${c#"$kept"}
			fi
		fi
		COMPREPLY+=("$c")
	done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}

complete -F _heddlectl heddlectl
