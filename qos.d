qos.o: sm/policy/qos.c sm/policy/qos.h config/config.h config/diag.h \
  sm/base/arena.h sm/base/buf.h config/schema.h sm/base/reason.h \
  sm/base/clock.h discovery/topo.h sm/mad/port_values.h \
  distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h routing/core/lft.h sm/mad/mad.h \
  routing/core/routes.h routing/core/verdict.h sm/policy/name_pins.h \
  config/qos_options.h sm/base/mem.h sm/policy/name_match.h \
  config/partition_options.h sm/policy/pkeys.h

sm/policy/qos.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

routing/core/lft.h:

sm/mad/mad.h:

routing/core/routes.h:

routing/core/verdict.h:

sm/policy/name_pins.h:

config/qos_options.h:

sm/base/mem.h:

sm/policy/name_match.h:

config/partition_options.h:

sm/policy/pkeys.h:
