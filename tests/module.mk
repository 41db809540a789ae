TESTSRC += $(filter-out %_main.c,$(wildcard tests/sim/*.c tests/topo/*.c \
	tests/e2e/*.c))
UNIT += $(wildcard tests/unit/*_test.c)

# The fabric generator for the end-to-end scripts, and their judge.
PROGRAMS += $(B)/heddle-topogen $(B)/heddle-ftscheck
$(B)/heddle-topogen: $(B)/obj/tests/topo/topogen_main.o
$(B)/heddle-ftscheck: $(B)/obj/tests/e2e/ftscheck_main.o
$(B)/heddle-topogen $(B)/heddle-ftscheck: $(B)/libheddletest.a \
		$(B)/libheddle.a
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

# Bad days from seeds, on and on: make soak SECONDS=N [HOSTS=N] [FROM=SEED].
SECONDS ?= 60
HOSTS ?= 600
FROM ?= 1
$(B)/heddle-soak: $(B)/obj/tests/sim/chaos_main.o $(B)/libheddletest.a \
		$(B)/libheddle.a
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/libheddletest.a $(B)/libheddle.a \
		$(LDLIBS_ALL)
.PHONY: soak
soak: $(B)/heddle-soak
	$(B)/heddle-soak --seconds $(SECONDS) --hosts $(HOSTS) --from $(FROM)
