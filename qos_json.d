qos_json.o: sm/report/qos_json.c sm/report/qos_json.h config/config.h \
  config/diag.h sm/base/arena.h sm/base/buf.h config/schema.h \
  sm/base/reason.h sm/base/clock.h sm/view/view.h discovery/topo.h \
  sm/mad/port_values.h distribution/transition/loss_estimate.h \
  routing/core/lid.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h routing/driver/compute.h routing/core/engine.h \
  config/qos_options.h sm/policy/qos.h \
  distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h sm/mad/mad.h sm/policy/name_pins.h \
  sm/report/json_util.h sm/report/names.h sm/view/view_slvl.h

sm/report/qos_json.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

sm/view/view.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/transition/loss_estimate.h:

routing/core/lid.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

routing/driver/compute.h:

routing/core/engine.h:

config/qos_options.h:

sm/policy/qos.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

sm/mad/mad.h:

sm/policy/name_pins.h:

sm/report/json_util.h:

sm/report/names.h:

sm/view/view_slvl.h:
