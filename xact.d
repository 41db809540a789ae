xact.o: sm/transport/xact.c sm/transport/xact.h sm/base/clock.h \
  sm/mad/mad.h sm/base/reason.h sm/mad/port_values.h \
  sm/transport/keyring.h sm/transport/transport.h sm/base/be.h \
  sm/base/map.h sm/base/mem.h sm/transport/deadlines.h

sm/transport/xact.h:

sm/base/clock.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/mad/port_values.h:

sm/transport/keyring.h:

sm/transport/transport.h:

sm/base/be.h:

sm/base/map.h:

sm/base/mem.h:

sm/transport/deadlines.h:
