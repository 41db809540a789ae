push_ack.o: distribution/push/push_ack.c distribution/push/push_priv.h \
  distribution/push/push.h distribution/device/device_store.h \
  discovery/topo.h sm/mad/port_values.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  sm/base/clock.h distribution/tables/pkey_table.h \
  distribution/tables/vlarb.h routing/core/slvl.h routing/core/lft.h \
  sm/mad/mad.h sm/base/reason.h distribution/plan/plan.h \
  distribution/transition/transition.h \
  distribution/transition/sl_history.h routing/core/routes.h \
  routing/core/verdict.h sm/base/arena.h sm/transport/xact.h \
  sm/transport/keyring.h sm/transport/transport.h \
  distribution/push/push_lid_routed.h sm/base/map.h sm/base/be.h \
  sm/base/mem.h

distribution/push/push_priv.h:

distribution/push/push.h:

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

distribution/plan/plan.h:

distribution/transition/transition.h:

distribution/transition/sl_history.h:

routing/core/routes.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/transport/xact.h:

sm/transport/keyring.h:

sm/transport/transport.h:

distribution/push/push_lid_routed.h:

sm/base/map.h:

sm/base/be.h:

sm/base/mem.h:
