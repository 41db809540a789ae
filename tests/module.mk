TESTSRC += $(filter-out %_main.c,$(wildcard tests/sim/*.c tests/topo/*.c \
	tests/e2e/*.c))
UNIT += $(wildcard tests/unit/*_test.c)

# The judge of the end-to-end tests: see tests/e2e/ftscheck_main.c.
PROGRAMS += $(B)/heddle-ftscheck
$(B)/heddle-ftscheck: $(B)/obj/tests/e2e/ftscheck_main.o \
		$(B)/libheddletest.a $(B)/libheddle.a
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $^
