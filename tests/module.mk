TESTSRC += $(filter-out %_main.c,$(wildcard tests/sim/*.c tests/topo/*.c))
UNIT += $(wildcard tests/unit/*_test.c)

# The fabric generator for the end-to-end scripts.
PROGRAMS += $(B)/heddle-topogen
$(B)/heddle-topogen: $(B)/obj/tests/topo/topogen_main.o $(B)/libheddletest.a \
		$(B)/libheddle.a
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/libheddletest.a $(B)/libheddle.a \
		$(LDLIBS_ALL)
include tests/bench/bench.mk
