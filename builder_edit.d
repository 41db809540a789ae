builder_edit.o: discovery/builder/builder_edit.c \
  discovery/builder/builder.h discovery/topo.h sm/mad/port_values.h \
  sm/base/buf.h sm/base/reason.h discovery/builder/builder_priv.h \
  discovery/builder/portinfo_pool.h sm/base/map.h sm/mad/mad.h \
  sm/base/mem.h

discovery/builder/builder.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/buf.h:

sm/base/reason.h:

discovery/builder/builder_priv.h:

discovery/builder/portinfo_pool.h:

sm/base/map.h:

sm/mad/mad.h:

sm/base/mem.h:
