state_file_test.o: tests/unit/sm/state/state_file_test.c \
  sm/state/state_file.h routing/core/routes.h discovery/topo.h \
  sm/mad/port_values.h routing/core/lft.h routing/core/verdict.h \
  sm/base/arena.h sm/base/reason.h sm/base/buf.h sm/base/hash.h \
  sm/base/mem.h sm/base/rng.h tests/unit/scratch.h tests/unit/suite.h

sm/state/state_file.h:

routing/core/routes.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

sm/base/buf.h:

sm/base/hash.h:

sm/base/mem.h:

sm/base/rng.h:

tests/unit/scratch.h:

tests/unit/suite.h:
