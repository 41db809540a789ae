plan_pkeys.o: distribution/plan/plan_pkeys.c \
  distribution/plan/plan_priv.h distribution/plan/plan.h \
  distribution/device/device_store.h discovery/topo.h \
  sm/mad/port_values.h distribution/device/adaptive_cache.h \
  distribution/device/sl2vl_cache.h sm/base/clock.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h routing/core/lft.h sm/mad/mad.h sm/base/reason.h \
  distribution/transition/transition.h \
  distribution/transition/sl_history.h routing/core/routes.h \
  routing/core/verdict.h sm/base/arena.h sm/base/be.h sm/base/mem.h

distribution/plan/plan_priv.h:

distribution/plan/plan.h:

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

distribution/transition/transition.h:

distribution/transition/sl_history.h:

routing/core/routes.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/be.h:

sm/base/mem.h:
