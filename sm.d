sm.o: sm/core/sm.c sm/core/sm.h config/config.h config/diag.h \
  sm/base/arena.h sm/base/buf.h config/schema.h sm/base/reason.h \
  sm/base/clock.h sm/report/sm_status.h distribution/device/sl2vl_scan.h \
  discovery/topo.h sm/mad/port_values.h \
  distribution/device/sl2vl_cache.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h sm/sa/sa.h \
  sm/mad/mad_sa.h sm/view/view.h distribution/transition/loss_estimate.h \
  routing/core/lid.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h routing/driver/compute.h routing/core/engine.h \
  sm/state/state_file.h routing/driver/registry.h sm/base/mem.h \
  sm/core/sm_priv.h discovery/builder/builder.h \
  discovery/sweep/path_probe.h discovery/sweep/sweep.h \
  distribution/device/device_check.h distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/tables/pkey_table.h \
  distribution/tables/vlarb.h routing/core/slvl.h \
  distribution/device/foreign_adaptive.h sm/base/map.h \
  distribution/device/lft_read.h distribution/device/pkey_read.h \
  distribution/plan/plan.h distribution/transition/transition.h \
  distribution/transition/sl_history.h distribution/push/push.h \
  routing/mcast/mcast.h sm/base/log.h sm/core/trap.h sm/policy/pkeys.h \
  config/partition_options.h sm/policy/name_pins.h sm/policy/qos.h \
  sm/policy/roles.h sm/view/event_log.h sm/view/topo_events.h \
  sm/view/view_slvl.h sm/policy/config_loss.h

sm/core/sm.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

sm/report/sm_status.h:

distribution/device/sl2vl_scan.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/device/sl2vl_cache.h:

sm/transport/xact.h:

sm/mad/mad.h:

sm/transport/keyring.h:

sm/transport/transport.h:

sm/sa/sa.h:

sm/mad/mad_sa.h:

sm/view/view.h:

distribution/transition/loss_estimate.h:

routing/core/lid.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

routing/driver/compute.h:

routing/core/engine.h:

sm/state/state_file.h:

routing/driver/registry.h:

sm/base/mem.h:

sm/core/sm_priv.h:

discovery/builder/builder.h:

discovery/sweep/path_probe.h:

discovery/sweep/sweep.h:

distribution/device/device_check.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

distribution/device/foreign_adaptive.h:

sm/base/map.h:

distribution/device/lft_read.h:

distribution/device/pkey_read.h:

distribution/plan/plan.h:

distribution/transition/transition.h:

distribution/transition/sl_history.h:

distribution/push/push.h:

routing/mcast/mcast.h:

sm/base/log.h:

sm/core/trap.h:

sm/policy/pkeys.h:

config/partition_options.h:

sm/policy/name_pins.h:

sm/policy/qos.h:

sm/policy/roles.h:

sm/view/event_log.h:

sm/view/topo_events.h:

sm/view/view_slvl.h:

sm/policy/config_loss.h:
