vl_graphs.o: distribution/transition/vl_graphs.c \
  distribution/tables/vlarb.h discovery/topo.h sm/mad/port_values.h \
  routing/core/slvl.h distribution/transition/transition_priv.h \
  distribution/transition/transition.h \
  distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  sm/base/clock.h distribution/tables/pkey_table.h routing/core/lft.h \
  sm/mad/mad.h sm/base/reason.h distribution/transition/sl_history.h \
  routing/core/routes.h routing/core/verdict.h sm/base/arena.h \
  sm/base/buf.h

distribution/tables/vlarb.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/slvl.h:

distribution/transition/transition_priv.h:

distribution/transition/transition.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

sm/base/clock.h:

distribution/tables/pkey_table.h:

routing/core/lft.h:

sm/mad/mad.h:

sm/base/reason.h:

distribution/transition/sl_history.h:

routing/core/routes.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/buf.h:
