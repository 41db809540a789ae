#!/bin/sh
# usage: can_build.sh
# Succeeds if this machine can build fuzzers: clang with libFuzzer and the
# sanitizers' runtime library. Says what is missing otherwise.
command -v clang >/dev/null 2>&1 || {
	echo "no clang: make fuzz installs it"
	exit 1
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/empty.c" <<'EOF'
int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size);
int
LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size)
{
	return size > 0 && data[0] != 0 ? 0 : 0;
}
EOF
clang -fsanitize=fuzzer,address,undefined -o "$tmp/empty" "$tmp/empty.c" \
	2>/dev/null || {
	echo "clang has no runtime library for fuzzers: make fuzz installs it"
	exit 1
}
