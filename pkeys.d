pkeys.o: sm/policy/pkeys.c sm/policy/pkeys.h config/config.h \
  config/diag.h sm/base/arena.h sm/base/buf.h config/schema.h \
  sm/base/reason.h sm/base/clock.h config/partition_options.h \
  discovery/topo.h sm/mad/port_values.h distribution/tables/pkey_table.h \
  sm/policy/name_pins.h sm/base/mem.h sm/policy/name_match.h

sm/policy/pkeys.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

config/partition_options.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/tables/pkey_table.h:

sm/policy/name_pins.h:

sm/base/mem.h:

sm/policy/name_match.h:
