main.o: sm/main.c routing/driver/registry.h routing/core/engine.h \
  routing/core/routes.h discovery/topo.h sm/mad/port_values.h \
  routing/core/lft.h routing/core/verdict.h sm/base/arena.h \
  sm/base/reason.h sm/audit/auditor.h config/config.h config/diag.h \
  sm/base/buf.h config/schema.h sm/base/clock.h sm/base/log.h \
  sm/base/loop.h sm/base/mem.h sm/base/version.h sm/config_check.h \
  sm/options.h sm/core/sm.h sm/report/sm_status.h \
  distribution/device/sl2vl_scan.h distribution/device/sl2vl_cache.h \
  sm/transport/xact.h sm/mad/mad.h sm/transport/keyring.h \
  sm/transport/transport.h sm/sa/sa.h sm/mad/mad_sa.h sm/view/view.h \
  distribution/transition/loss_estimate.h routing/core/lid.h \
  routing/driver/compute.h sm/state/state_file.h \
  sm/core/snapshot_state.h sm/ctl/ctl.h sm/notify.h \
  sm/redundancy_worker.h sm/report/events_json.h sm/view/event_log.h \
  sm/view/topo_events.h sm/report/groups_json.h routing/mcast/mcast.h \
  sm/report/names_json.h sm/policy/name_pins.h sm/report/status_json.h \
  sm/state/previous_run.h sm/state/saver.h sm/transport/umad.h \
  sm/worker.h

routing/driver/registry.h:

routing/core/engine.h:

routing/core/routes.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

sm/audit/auditor.h:

config/config.h:

config/diag.h:

sm/base/buf.h:

config/schema.h:

sm/base/clock.h:

sm/base/log.h:

sm/base/loop.h:

sm/base/mem.h:

sm/base/version.h:

sm/config_check.h:

sm/options.h:

sm/core/sm.h:

sm/report/sm_status.h:

distribution/device/sl2vl_scan.h:

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

routing/driver/compute.h:

sm/state/state_file.h:

sm/core/snapshot_state.h:

sm/ctl/ctl.h:

sm/notify.h:

sm/redundancy_worker.h:

sm/report/events_json.h:

sm/view/event_log.h:

sm/view/topo_events.h:

sm/report/groups_json.h:

routing/mcast/mcast.h:

sm/report/names_json.h:

sm/policy/name_pins.h:

sm/report/status_json.h:

sm/state/previous_run.h:

sm/state/saver.h:

sm/transport/umad.h:

sm/worker.h:
