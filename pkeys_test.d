pkeys_test.o: tests/unit/sm/policy/pkeys_test.c \
  config/partition_options.h config/diag.h sm/base/arena.h sm/base/buf.h \
  config/schema.h sm/base/reason.h sm/policy/pkeys.h config/config.h \
  sm/base/clock.h discovery/topo.h sm/mad/port_values.h \
  distribution/tables/pkey_table.h sm/policy/name_pins.h \
  tests/topo/frozen.h tests/topo/fabric.h tests/topo/gen.h \
  tests/unit/suite.h

config/partition_options.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/policy/pkeys.h:

config/config.h:

sm/base/clock.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/tables/pkey_table.h:

sm/policy/name_pins.h:

tests/topo/frozen.h:

tests/topo/fabric.h:

tests/topo/gen.h:

tests/unit/suite.h:
