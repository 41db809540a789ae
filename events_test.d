events_test.o: tests/unit/sm/core/events_test.c routing/verify/verify.h \
  discovery/topo.h sm/mad/port_values.h routing/core/verdict.h \
  routing/core/lft.h sm/base/reason.h sm/base/log.h sm/base/clock.h \
  sm/report/events_json.h sm/view/event_log.h sm/view/topo_events.h \
  tests/unit/core_fixture.h tests/sim/model/world.h sm/core/sm.h \
  config/config.h config/diag.h sm/base/arena.h sm/base/buf.h \
  config/schema.h sm/report/sm_status.h distribution/device/sl2vl_scan.h \
  distribution/device/sl2vl_cache.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h sm/sa/sa.h \
  sm/mad/mad_sa.h sm/view/view.h distribution/transition/loss_estimate.h \
  routing/core/lid.h routing/core/routes.h routing/driver/compute.h \
  routing/core/engine.h sm/state/state_file.h tests/sim/model/sim.h \
  sm/mad/mad_ar.h sm/mad/mad_role.h tests/topo/fabric.h \
  tests/sim/referee/referee.h tests/topo/gen.h tests/unit/suite.h

routing/verify/verify.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/verdict.h:

routing/core/lft.h:

sm/base/reason.h:

sm/base/log.h:

sm/base/clock.h:

sm/report/events_json.h:

sm/view/event_log.h:

sm/view/topo_events.h:

tests/unit/core_fixture.h:

tests/sim/model/world.h:

sm/core/sm.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

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

routing/core/routes.h:

routing/driver/compute.h:

routing/core/engine.h:

sm/state/state_file.h:

tests/sim/model/sim.h:

sm/mad/mad_ar.h:

sm/mad/mad_role.h:

tests/topo/fabric.h:

tests/sim/referee/referee.h:

tests/topo/gen.h:

tests/unit/suite.h:
