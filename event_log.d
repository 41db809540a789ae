event_log.o: sm/view/event_log.c sm/view/event_log.h sm/base/clock.h \
  sm/view/topo_events.h discovery/topo.h sm/mad/port_values.h \
  sm/base/log.h sm/base/mem.h

sm/view/event_log.h:

sm/base/clock.h:

sm/view/topo_events.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/log.h:

sm/base/mem.h:
