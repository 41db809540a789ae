umad.o: sm/transport/umad.c sm/transport/umad.h sm/base/reason.h \
  sm/transport/transport.h sm/mad/mad.h sm/mad/port_values.h \
  sm/base/be.h sm/base/mem.h sm/base/thread.h sm/transport/ring.h \
  sm/transport/umad_choose.h

sm/transport/umad.h:

sm/base/reason.h:

sm/transport/transport.h:

sm/mad/mad.h:

sm/mad/port_values.h:

sm/base/be.h:

sm/base/mem.h:

sm/base/thread.h:

sm/transport/ring.h:

sm/transport/umad_choose.h:
