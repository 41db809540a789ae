TESTSRC += $(filter-out %_main.c,$(wildcard tests/sim/*.c tests/topo/*.c))
UNIT += $(wildcard tests/unit/*_test.c)
include tests/bench/bench.mk
