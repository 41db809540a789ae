chaos.o: tests/sim/chaos/chaos.c tests/sim/chaos/chaos.h sm/base/buf.h \
  sm/base/reason.h sm/core/sm.h config/config.h config/diag.h \
  sm/base/arena.h config/schema.h sm/base/clock.h sm/report/sm_status.h \
  distribution/device/sl2vl_scan.h discovery/topo.h sm/mad/port_values.h \
  distribution/device/sl2vl_cache.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h sm/sa/sa.h \
  sm/mad/mad_sa.h sm/view/view.h distribution/transition/loss_estimate.h \
  routing/core/lid.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h routing/driver/compute.h routing/core/engine.h \
  sm/state/state_file.h routing/core/slvl.h sm/base/map.h \
  sm/policy/qos.h distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/tables/pkey_table.h \
  distribution/tables/vlarb.h sm/policy/name_pins.h \
  tests/sim/chaos/chaos_int.h sm/base/rng.h tests/sim/model/sim.h \
  sm/mad/mad_ar.h sm/mad/mad_role.h tests/topo/fabric.h \
  tests/sim/referee/tenants.h tests/sim/model/world.h \
  tests/sim/referee/referee.h tests/sim/referee/watch.h

tests/sim/chaos/chaos.h:

sm/base/buf.h:

sm/base/reason.h:

sm/core/sm.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

config/schema.h:

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

routing/core/slvl.h:

sm/base/map.h:

sm/policy/qos.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

sm/policy/name_pins.h:

tests/sim/chaos/chaos_int.h:

sm/base/rng.h:

tests/sim/model/sim.h:

sm/mad/mad_ar.h:

sm/mad/mad_role.h:

tests/topo/fabric.h:

tests/sim/referee/tenants.h:

tests/sim/model/world.h:

tests/sim/referee/referee.h:

tests/sim/referee/watch.h:
