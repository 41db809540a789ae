pkey_table.o: distribution/tables/pkey_table.c \
  distribution/tables/pkey_table.h discovery/topo.h sm/mad/port_values.h \
  sm/base/clock.h discovery/port_key.h sm/base/map.h sm/base/mem.h \
  sm/mad/mad.h sm/base/reason.h

distribution/tables/pkey_table.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/clock.h:

discovery/port_key.h:

sm/base/map.h:

sm/base/mem.h:

sm/mad/mad.h:

sm/base/reason.h:
