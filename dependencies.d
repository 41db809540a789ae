dependencies.o: sm/audit/dependencies.c sm/audit/dependencies.h \
  discovery/topo.h sm/mad/port_values.h sm/base/map.h sm/base/mem.h

sm/audit/dependencies.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/map.h:

sm/base/mem.h:
