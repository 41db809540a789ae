planner.o: sm/what_if/planner.c sm/what_if/planner.h \
  routing/driver/registry.h routing/core/engine.h routing/core/routes.h \
  discovery/topo.h sm/mad/port_values.h routing/core/lft.h \
  routing/core/verdict.h sm/base/arena.h sm/base/reason.h \
  routing/text/fts.h sm/base/buf.h sm/base/mem.h sm/policy/qos.h \
  config/config.h config/diag.h config/schema.h sm/base/clock.h \
  distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h sm/mad/mad.h sm/policy/name_pins.h \
  sm/report/fabric_counts.h sm/report/json_util.h sm/report/names.h \
  sm/report/qos_json.h sm/view/view.h \
  distribution/transition/loss_estimate.h routing/core/lid.h \
  routing/driver/compute.h sm/report/standby_json.h sm/view/view_slvl.h \
  sm/what_if/failure.h discovery/builder/builder.h sm/what_if/inputs.h \
  sm/what_if/forecast.h routing/improve/redundancy.h \
  routing/graph/multi_port_node.h routing/measure/bandwidth.h \
  sm/what_if/snapshot_read.h sm/state/state_file.h \
  sm/what_if/loss_preview.h sm/policy/config_loss.h \
  sm/what_if/plan_json.h sm/what_if/cut_points.h \
  sm/what_if/routes_diff.h sm/what_if/plan_page.h \
  sm/what_if/plan_verdict.h sm/what_if/what_if.h \
  sm/what_if/transition_preview.h distribution/transition/transition.h \
  distribution/transition/sl_history.h

sm/what_if/planner.h:

routing/driver/registry.h:

routing/core/engine.h:

routing/core/routes.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

routing/text/fts.h:

sm/base/buf.h:

sm/base/mem.h:

sm/policy/qos.h:

config/config.h:

config/diag.h:

config/schema.h:

sm/base/clock.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

sm/mad/mad.h:

sm/policy/name_pins.h:

sm/report/fabric_counts.h:

sm/report/json_util.h:

sm/report/names.h:

sm/report/qos_json.h:

sm/view/view.h:

distribution/transition/loss_estimate.h:

routing/core/lid.h:

routing/driver/compute.h:

sm/report/standby_json.h:

sm/view/view_slvl.h:

sm/what_if/failure.h:

discovery/builder/builder.h:

sm/what_if/inputs.h:

sm/what_if/forecast.h:

routing/improve/redundancy.h:

routing/graph/multi_port_node.h:

routing/measure/bandwidth.h:

sm/what_if/snapshot_read.h:

sm/state/state_file.h:

sm/what_if/loss_preview.h:

sm/policy/config_loss.h:

sm/what_if/plan_json.h:

sm/what_if/cut_points.h:

sm/what_if/routes_diff.h:

sm/what_if/plan_page.h:

sm/what_if/plan_verdict.h:

sm/what_if/what_if.h:

sm/what_if/transition_preview.h:

distribution/transition/transition.h:

distribution/transition/sl_history.h:
