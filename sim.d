sim.o: tests/sim/model/sim.c tests/sim/model/sim.h sm/base/clock.h \
  sm/mad/mad.h sm/base/reason.h sm/mad/port_values.h sm/mad/mad_ar.h \
  sm/mad/mad_role.h sm/transport/transport.h tests/topo/fabric.h \
  sm/base/arena.h sm/base/be.h sm/base/mem.h \
  tests/sim/model/sim_device.h tests/sim/model/sim_ibsim.h \
  tests/sim/model/sim_int.h sm/base/rng.h sm/mad/mad_perf.h \
  sm/mad/mad_violation.h tests/sim/model/sim_rmpp.h

tests/sim/model/sim.h:

sm/base/clock.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/mad/port_values.h:

sm/mad/mad_ar.h:

sm/mad/mad_role.h:

sm/transport/transport.h:

tests/topo/fabric.h:

sm/base/arena.h:

sm/base/be.h:

sm/base/mem.h:

tests/sim/model/sim_device.h:

tests/sim/model/sim_ibsim.h:

tests/sim/model/sim_int.h:

sm/base/rng.h:

sm/mad/mad_perf.h:

sm/mad/mad_violation.h:

tests/sim/model/sim_rmpp.h:
