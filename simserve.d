simserve.o: tests/sim/serve/simserve.c tests/sim/serve/simserve.h \
  sm/base/buf.h tests/sim/serve/serve.h sm/base/reason.h \
  tests/sim/model/sim.h sm/base/clock.h sm/mad/mad.h \
  sm/mad/port_values.h sm/mad/mad_ar.h sm/mad/mad_role.h \
  sm/transport/transport.h tests/topo/fabric.h sm/base/arena.h \
  tests/topo/ibnet.h

tests/sim/serve/simserve.h:

sm/base/buf.h:

tests/sim/serve/serve.h:

sm/base/reason.h:

tests/sim/model/sim.h:

sm/base/clock.h:

sm/mad/mad.h:

sm/mad/port_values.h:

sm/mad/mad_ar.h:

sm/mad/mad_role.h:

sm/transport/transport.h:

tests/topo/fabric.h:

sm/base/arena.h:

tests/topo/ibnet.h:
