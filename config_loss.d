config_loss.o: sm/policy/config_loss.c sm/policy/config_loss.h \
  config/config.h config/diag.h sm/base/arena.h sm/base/buf.h \
  config/schema.h sm/base/reason.h sm/base/clock.h discovery/topo.h \
  sm/mad/port_values.h routing/core/lid.h sm/policy/name_pins.h \
  sm/base/map.h sm/base/mem.h sm/policy/jobs.h routing/core/engine.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  sm/policy/pkeys.h config/partition_options.h \
  distribution/tables/pkey_table.h sm/policy/qos.h \
  distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  distribution/tables/vlarb.h routing/core/slvl.h sm/mad/mad.h

sm/policy/config_loss.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lid.h:

sm/policy/name_pins.h:

sm/base/map.h:

sm/base/mem.h:

sm/policy/jobs.h:

routing/core/engine.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/policy/pkeys.h:

config/partition_options.h:

distribution/tables/pkey_table.h:

sm/policy/qos.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

sm/mad/mad.h:
