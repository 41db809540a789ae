run_pkeys_test.o: tests/unit/sm/core/run_pkeys_test.c \
  tests/sim/referee/tenants.h discovery/topo.h sm/mad/port_values.h \
  sm/base/buf.h sm/base/reason.h sm/base/rng.h tests/sim/model/sim.h \
  sm/base/clock.h sm/mad/mad.h sm/mad/mad_ar.h sm/mad/mad_role.h \
  sm/transport/transport.h tests/topo/fabric.h sm/base/arena.h \
  tests/unit/sm/policy/partition_fixture.h tests/unit/sm/sa/sa_fixture.h \
  sm/base/be.h sm/base/mem.h sm/mad/mad_sa.h tests/sim/model/world.h \
  sm/core/sm.h config/config.h config/diag.h config/schema.h \
  sm/report/sm_status.h distribution/device/sl2vl_scan.h \
  distribution/device/sl2vl_cache.h sm/transport/xact.h \
  sm/transport/keyring.h sm/sa/sa.h sm/view/view.h \
  distribution/transition/loss_estimate.h routing/core/lid.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  routing/driver/compute.h routing/core/engine.h sm/state/state_file.h \
  tests/topo/gen.h tests/unit/suite.h

tests/sim/referee/tenants.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/buf.h:

sm/base/reason.h:

sm/base/rng.h:

tests/sim/model/sim.h:

sm/base/clock.h:

sm/mad/mad.h:

sm/mad/mad_ar.h:

sm/mad/mad_role.h:

sm/transport/transport.h:

tests/topo/fabric.h:

sm/base/arena.h:

tests/unit/sm/policy/partition_fixture.h:

tests/unit/sm/sa/sa_fixture.h:

sm/base/be.h:

sm/base/mem.h:

sm/mad/mad_sa.h:

tests/sim/model/world.h:

sm/core/sm.h:

config/config.h:

config/diag.h:

config/schema.h:

sm/report/sm_status.h:

distribution/device/sl2vl_scan.h:

distribution/device/sl2vl_cache.h:

sm/transport/xact.h:

sm/transport/keyring.h:

sm/sa/sa.h:

sm/view/view.h:

distribution/transition/loss_estimate.h:

routing/core/lid.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

routing/driver/compute.h:

routing/core/engine.h:

sm/state/state_file.h:

tests/topo/gen.h:

tests/unit/suite.h:
