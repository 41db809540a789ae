commit.o: sm/core/commit.c routing/tiers/tree.h discovery/topo.h \
  sm/mad/port_values.h routing/core/engine.h routing/core/routes.h \
  routing/core/lft.h routing/core/verdict.h sm/base/arena.h \
  sm/base/reason.h sm/base/be.h sm/base/mem.h sm/core/sm_priv.h \
  discovery/builder/builder.h sm/base/buf.h discovery/sweep/path_probe.h \
  sm/base/clock.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h \
  discovery/sweep/sweep.h distribution/device/device_check.h \
  distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h distribution/device/foreign_adaptive.h \
  sm/base/map.h distribution/device/lft_read.h \
  distribution/device/pkey_read.h distribution/device/sl2vl_scan.h \
  distribution/plan/plan.h distribution/transition/transition.h \
  distribution/transition/sl_history.h distribution/push/push.h \
  routing/core/lid.h routing/driver/compute.h routing/mcast/mcast.h \
  sm/base/log.h sm/core/sm.h config/config.h config/diag.h \
  config/schema.h sm/report/sm_status.h sm/sa/sa.h sm/mad/mad_sa.h \
  sm/view/view.h distribution/transition/loss_estimate.h \
  sm/state/state_file.h sm/core/trap.h sm/policy/pkeys.h \
  config/partition_options.h sm/policy/name_pins.h sm/policy/qos.h \
  sm/policy/roles.h sm/view/event_log.h sm/view/topo_events.h \
  sm/view/view_slvl.h

routing/tiers/tree.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/engine.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

sm/base/be.h:

sm/base/mem.h:

sm/core/sm_priv.h:

discovery/builder/builder.h:

sm/base/buf.h:

discovery/sweep/path_probe.h:

sm/base/clock.h:

sm/transport/xact.h:

sm/mad/mad.h:

sm/transport/keyring.h:

sm/transport/transport.h:

discovery/sweep/sweep.h:

distribution/device/device_check.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

distribution/device/foreign_adaptive.h:

sm/base/map.h:

distribution/device/lft_read.h:

distribution/device/pkey_read.h:

distribution/device/sl2vl_scan.h:

distribution/plan/plan.h:

distribution/transition/transition.h:

distribution/transition/sl_history.h:

distribution/push/push.h:

routing/core/lid.h:

routing/driver/compute.h:

routing/mcast/mcast.h:

sm/base/log.h:

sm/core/sm.h:

config/config.h:

config/diag.h:

config/schema.h:

sm/report/sm_status.h:

sm/sa/sa.h:

sm/mad/mad_sa.h:

sm/view/view.h:

distribution/transition/loss_estimate.h:

sm/state/state_file.h:

sm/core/trap.h:

sm/policy/pkeys.h:

config/partition_options.h:

sm/policy/name_pins.h:

sm/policy/qos.h:

sm/policy/roles.h:

sm/view/event_log.h:

sm/view/topo_events.h:

sm/view/view_slvl.h:
