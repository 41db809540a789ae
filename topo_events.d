topo_events.o: sm/view/topo_events.c sm/view/topo_events.h \
  discovery/topo.h sm/mad/port_values.h discovery/link_rate.h \
  sm/base/buf.h sm/base/mem.h

sm/view/topo_events.h:

discovery/topo.h:

sm/mad/port_values.h:

discovery/link_rate.h:

sm/base/buf.h:

sm/base/mem.h:
