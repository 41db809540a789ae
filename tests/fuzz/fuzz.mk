# Fuzzers: tests/fuzz/NAME_fuzz.c becomes build/fuzz/NAME (clang only).
#   make -f Makefile -f tests/fuzz/fuzz.mk build/fuzz/mad
#   build/fuzz/mad -max_total_time=60 CORPUS
build/fuzz/%: tests/fuzz/%_fuzz.c $(SRC)
	@mkdir -p $(@D)
	@echo FUZZ $@
	@clang $(CPPFLAGS) -std=c11 -g -O1 -pthread \
		-fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -o $@ $^ $(LDLIBS_ALL)
