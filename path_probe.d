path_probe.o: discovery/sweep/path_probe.c discovery/sweep/path_probe.h \
  sm/base/clock.h sm/transport/xact.h sm/mad/mad.h sm/base/reason.h \
  sm/mad/port_values.h sm/transport/keyring.h sm/transport/transport.h \
  sm/base/hash.h sm/base/mem.h

discovery/sweep/path_probe.h:

sm/base/clock.h:

sm/transport/xact.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/mad/port_values.h:

sm/transport/keyring.h:

sm/transport/transport.h:

sm/base/hash.h:

sm/base/mem.h:
