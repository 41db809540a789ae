audit_test.o: tests/unit/sm/audit/audit_test.c sm/audit/audit.h \
  config/config.h config/diag.h sm/base/arena.h sm/base/buf.h \
  config/schema.h sm/base/reason.h sm/base/clock.h \
  sm/audit/audit_verdict.h sm/transport/transport.h sm/mad/mad.h \
  sm/mad/port_values.h sm/transport/xact.h sm/transport/keyring.h \
  sm/audit/audit_page.h sm/audit/dependencies.h discovery/topo.h \
  sm/mad/mad_ar.h sm/report/json_util.h tests/sim/model/world.h \
  sm/core/sm.h sm/report/sm_status.h distribution/device/sl2vl_scan.h \
  distribution/device/sl2vl_cache.h sm/sa/sa.h sm/mad/mad_sa.h \
  sm/view/view.h distribution/transition/loss_estimate.h \
  routing/core/lid.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h routing/driver/compute.h routing/core/engine.h \
  sm/state/state_file.h tests/sim/model/sim.h sm/mad/mad_role.h \
  tests/topo/fabric.h tests/topo/frozen.h tests/topo/gen.h \
  tests/unit/suite.h

sm/audit/audit.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

sm/audit/audit_verdict.h:

sm/transport/transport.h:

sm/mad/mad.h:

sm/mad/port_values.h:

sm/transport/xact.h:

sm/transport/keyring.h:

sm/audit/audit_page.h:

sm/audit/dependencies.h:

discovery/topo.h:

sm/mad/mad_ar.h:

sm/report/json_util.h:

tests/sim/model/world.h:

sm/core/sm.h:

sm/report/sm_status.h:

distribution/device/sl2vl_scan.h:

distribution/device/sl2vl_cache.h:

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

tests/sim/model/sim.h:

sm/mad/mad_role.h:

tests/topo/fabric.h:

tests/topo/frozen.h:

tests/topo/gen.h:

tests/unit/suite.h:
