simrun.o: tests/sim/serve/simrun.c tests/sim/serve/simrun.h sm/base/buf.h \
  tests/sim/serve/ibsimwire.h sm/transport/transport.h sm/mad/mad.h \
  sm/base/reason.h sm/mad/port_values.h tests/sim/serve/simserve.h

tests/sim/serve/simrun.h:

sm/base/buf.h:

tests/sim/serve/ibsimwire.h:

sm/transport/transport.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/mad/port_values.h:

tests/sim/serve/simserve.h:
