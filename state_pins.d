state_pins.o: sm/state/state_pins.c sm/base/mem.h \
  sm/state/state_file_priv.h sm/state/state_file.h routing/core/routes.h \
  discovery/topo.h sm/mad/port_values.h routing/core/lft.h \
  routing/core/verdict.h sm/base/arena.h sm/base/reason.h sm/base/buf.h

sm/base/mem.h:

sm/state/state_file_priv.h:

sm/state/state_file.h:

routing/core/routes.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

sm/base/buf.h:
