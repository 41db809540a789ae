device_check.o: distribution/device/device_check.c \
  distribution/device/device_check.h discovery/topo.h \
  sm/mad/port_values.h distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  sm/base/clock.h distribution/tables/pkey_table.h \
  distribution/tables/vlarb.h routing/core/slvl.h routing/core/lft.h \
  sm/mad/mad.h sm/base/reason.h sm/transport/xact.h \
  sm/transport/keyring.h sm/transport/transport.h \
  distribution/device/device_request.h \
  distribution/tables/port_settings.h sm/base/map.h sm/base/mem.h

distribution/device/device_check.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

sm/base/clock.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

routing/core/lft.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/transport/xact.h:

sm/transport/keyring.h:

sm/transport/transport.h:

distribution/device/device_request.h:

distribution/tables/port_settings.h:

sm/base/map.h:

sm/base/mem.h:
