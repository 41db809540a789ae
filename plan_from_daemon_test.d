plan_from_daemon_test.o: tests/unit/sm/what_if/plan_from_daemon_test.c \
  sm/base/log.h sm/base/clock.h sm/base/mem.h sm/base/rng.h \
  sm/core/snapshot_state.h config/config.h config/diag.h sm/base/arena.h \
  sm/base/buf.h config/schema.h sm/base/reason.h sm/core/sm.h \
  sm/report/sm_status.h distribution/device/sl2vl_scan.h \
  discovery/topo.h sm/mad/port_values.h \
  distribution/device/sl2vl_cache.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h sm/sa/sa.h \
  sm/mad/mad_sa.h sm/view/view.h distribution/transition/loss_estimate.h \
  routing/core/lid.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h routing/driver/compute.h routing/core/engine.h \
  sm/state/state_file.h sm/mad/mad_role.h sm/policy/qos.h \
  distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/tables/pkey_table.h \
  distribution/tables/vlarb.h routing/core/slvl.h sm/policy/name_pins.h \
  sm/report/json_util.h sm/report/snapshot_json.h sm/report/answer.h \
  sm/what_if/routes_diff.h sm/what_if/transition_preview.h \
  distribution/transition/transition.h \
  distribution/transition/sl_history.h sm/what_if/what_if.h \
  sm/what_if/failure.h discovery/builder/builder.h sm/what_if/forecast.h \
  routing/improve/redundancy.h routing/graph/multi_port_node.h \
  routing/measure/bandwidth.h sm/what_if/inputs.h routing/text/fts.h \
  sm/what_if/snapshot_read.h tests/unit/core_fixture.h \
  tests/sim/model/world.h tests/sim/model/sim.h sm/mad/mad_ar.h \
  tests/topo/fabric.h tests/sim/referee/referee.h tests/topo/gen.h \
  tests/unit/suite.h

sm/base/log.h:

sm/base/clock.h:

sm/base/mem.h:

sm/base/rng.h:

sm/core/snapshot_state.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/core/sm.h:

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

sm/mad/mad_role.h:

sm/policy/qos.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

sm/policy/name_pins.h:

sm/report/json_util.h:

sm/report/snapshot_json.h:

sm/report/answer.h:

sm/what_if/routes_diff.h:

sm/what_if/transition_preview.h:

distribution/transition/transition.h:

distribution/transition/sl_history.h:

sm/what_if/what_if.h:

sm/what_if/failure.h:

discovery/builder/builder.h:

sm/what_if/forecast.h:

routing/improve/redundancy.h:

routing/graph/multi_port_node.h:

routing/measure/bandwidth.h:

sm/what_if/inputs.h:

routing/text/fts.h:

sm/what_if/snapshot_read.h:

tests/unit/core_fixture.h:

tests/sim/model/world.h:

tests/sim/model/sim.h:

sm/mad/mad_ar.h:

tests/topo/fabric.h:

tests/sim/referee/referee.h:

tests/topo/gen.h:

tests/unit/suite.h:
