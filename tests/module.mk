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
include tests/bench/bench.mk
