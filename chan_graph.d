chan_graph.o: distribution/transition/chan_graph.c \
  distribution/transition/transition_priv.h \
  distribution/transition/transition.h \
  distribution/device/device_store.h discovery/topo.h \
  sm/mad/port_values.h distribution/device/adaptive_cache.h \
  distribution/device/sl2vl_cache.h sm/base/clock.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h routing/core/lft.h sm/mad/mad.h sm/base/reason.h \
  distribution/transition/sl_history.h routing/core/routes.h \
  routing/core/verdict.h sm/base/arena.h sm/base/buf.h sm/base/mem.h

distribution/transition/transition_priv.h:

distribution/transition/transition.h:

distribution/device/device_store.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

sm/base/clock.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

routing/core/lft.h:

sm/mad/mad.h:

sm/base/reason.h:

distribution/transition/sl_history.h:

routing/core/routes.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/buf.h:

sm/base/mem.h:
