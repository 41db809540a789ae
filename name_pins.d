name_pins.o: sm/policy/name_pins.c sm/policy/name_pins.h config/config.h \
  config/diag.h sm/base/arena.h sm/base/buf.h config/schema.h \
  sm/base/reason.h sm/base/clock.h discovery/topo.h sm/mad/port_values.h \
  config/partition_options.h config/qos_options.h sm/base/mem.h \
  sm/policy/name_match.h

sm/policy/name_pins.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

discovery/topo.h:

sm/mad/port_values.h:

config/partition_options.h:

config/qos_options.h:

sm/base/mem.h:

sm/policy/name_match.h:
