umad_choose.o: sm/transport/umad_choose.c sm/transport/umad_choose.h \
  sm/base/reason.h sm/mad/port_values.h

sm/transport/umad_choose.h:

sm/base/reason.h:

sm/mad/port_values.h:
