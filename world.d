world.o: tests/sim/model/world.c tests/sim/model/world.h sm/core/sm.h \
  config/config.h config/diag.h sm/base/arena.h sm/base/buf.h \
  config/schema.h sm/base/reason.h sm/base/clock.h sm/report/sm_status.h \
  distribution/device/sl2vl_scan.h discovery/topo.h sm/mad/port_values.h \
  distribution/device/sl2vl_cache.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h sm/sa/sa.h \
  sm/mad/mad_sa.h sm/view/view.h distribution/transition/loss_estimate.h \
  routing/core/lid.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h routing/driver/compute.h routing/core/engine.h \
  sm/state/state_file.h tests/sim/model/sim.h sm/mad/mad_ar.h \
  sm/mad/mad_role.h tests/topo/fabric.h routing/driver/registry.h \
  sm/base/log.h sm/base/mem.h sm/report/status_json.h \
  sm/view/event_log.h sm/view/topo_events.h

tests/sim/model/world.h:

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

tests/sim/model/sim.h:

sm/mad/mad_ar.h:

sm/mad/mad_role.h:

tests/topo/fabric.h:

routing/driver/registry.h:

sm/base/log.h:

sm/base/mem.h:

sm/report/status_json.h:

sm/view/event_log.h:

sm/view/topo_events.h:
