TESTSRC += $(filter-out %_main.c,$(wildcard tests/sim/*.c tests/topo/*.c \
	tests/e2e/*.c))
UNIT += $(wildcard tests/unit/*_test.c)

# The simulated fabric, its generator for the end-to-end scripts, their judge.
PROGRAMS += $(B)/heddle-sim $(B)/heddle-topogen $(B)/heddle-ftscheck
$(B)/heddle-sim: $(B)/obj/tests/sim/heddlesim_main.o
$(B)/heddle-topogen: $(B)/obj/tests/topo/topogen_main.o
$(B)/heddle-ftscheck: $(B)/obj/tests/e2e/ftscheck_main.o
$(B)/heddle-sim $(B)/heddle-topogen $(B)/heddle-ftscheck: \
		$(B)/libheddletest.a $(B)/libheddle.a
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $(filter %_main.o,$^) $(B)/libheddletest.a \
		$(B)/libheddle.a $(LDLIBS_ALL)

# Measurements, run by hand or by `make bench`: build/bench/NAME.
BENCH := $(patsubst tests/bench/%_main.c,$(B)/bench/%,\
	$(wildcard tests/bench/*_main.c))
$(B)/bench/%: $(B)/obj/tests/bench/%_main.o $(B)/libheddletest.a \
		$(B)/libheddle.a
	@mkdir -p $(@D)
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/libheddletest.a $(B)/libheddle.a \
		$(LDLIBS_ALL)
.PHONY: bench-bins
bench-bins: $(BENCH)

# Everything that must pass before a commit: tests/check.sh tells the time.
.PHONY: check
check: deps
	@rm -f build/.check-ran
	$(MAKE) -j2 all unit-bins
	$(MAKE) -j2 SAN=1 unit-bins
	@touch build/.check-ran
	@tests/check.sh

# A minute with Heddle, without hardware.
.PHONY: demo
demo: deps
	@$(MAKE) --no-print-directory -j2 all
	@tests/demo.sh

# Side by side with opensm; BENCH_BIG=1 adds the 11,664-host tree.
$(B)/bench/smpcount.so: tests/bench/smpcount.c
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O2 $(WARN) -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl

.PHONY: bench
bench:
	@sh tests/lint/deps.sh bench
	@$(MAKE) --no-print-directory -j2 all bench-bins $(B)/bench/smpcount.so
	@tests/bench/compare.sh $(FABRICS)

# What a program can hold us to; LINT_ALL=1 shows clang-tidy every file.
.PHONY: lint
lint:
	@sh tests/lint/deps.sh lint
	@$(MAKE) --no-print-directory -j2 $(B)/libheddle.a $(B)/libheddletest.a
	@tests/lint/run.sh $$(find $(B)/obj -name '*.o' \
		-not -path '*/tests/unit/*')
