device_store.o: distribution/device/device_store.c \
  distribution/device/device_store.h discovery/topo.h \
  sm/mad/port_values.h distribution/device/adaptive_cache.h \
  distribution/device/sl2vl_cache.h sm/base/clock.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h routing/core/lft.h sm/mad/mad.h sm/base/reason.h \
  discovery/port_key.h sm/base/map.h sm/base/mem.h

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

discovery/port_key.h:

sm/base/map.h:

sm/base/mem.h:
