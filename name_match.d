name_match.o: sm/policy/name_match.c sm/policy/name_match.h \
  config/partition_options.h config/diag.h sm/base/arena.h sm/base/buf.h \
  config/schema.h sm/base/reason.h discovery/topo.h sm/mad/port_values.h \
  sm/policy/name_pins.h config/config.h sm/base/clock.h sm/base/mem.h

sm/policy/name_match.h:

config/partition_options.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/policy/name_pins.h:

config/config.h:

sm/base/clock.h:

sm/base/mem.h:
