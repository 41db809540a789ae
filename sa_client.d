sa_client.o: sm/audit/sa_client.c sm/audit/sa_client.h discovery/topo.h \
  sm/mad/port_values.h sm/base/clock.h sm/mad/mad_sa.h sm/mad/mad.h \
  sm/base/reason.h sm/transport/transport.h sm/base/be.h sm/base/mem.h

sm/audit/sa_client.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/clock.h:

sm/mad/mad_sa.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/transport/transport.h:

sm/base/be.h:

sm/base/mem.h:
