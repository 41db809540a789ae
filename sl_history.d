sl_history.o: distribution/transition/sl_history.c \
  distribution/transition/sl_history.h discovery/topo.h \
  sm/mad/port_values.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h sm/base/arena.h sm/base/reason.h sm/base/map.h \
  sm/base/mem.h

distribution/transition/sl_history.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

sm/base/map.h:

sm/base/mem.h:
