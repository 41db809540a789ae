vl_read.o: sm/audit/vl_read.c sm/audit/vl_read.h discovery/topo.h \
  sm/mad/port_values.h sm/base/clock.h sm/transport/xact.h sm/mad/mad.h \
  sm/base/reason.h sm/transport/keyring.h sm/transport/transport.h \
  distribution/device/device_request.h sm/base/mem.h

sm/audit/vl_read.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/clock.h:

sm/transport/xact.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/transport/keyring.h:

sm/transport/transport.h:

distribution/device/device_request.h:

sm/base/mem.h:
