slvl.o: routing/core/slvl.c routing/core/slvl.h discovery/topo.h \
  sm/mad/port_values.h

routing/core/slvl.h:

discovery/topo.h:

sm/mad/port_values.h:
