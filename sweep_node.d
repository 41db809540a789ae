sweep_node.o: discovery/sweep/sweep_node.c discovery/sweep/sweep_priv.h \
  discovery/builder/builder_priv.h discovery/builder/builder.h \
  discovery/topo.h sm/mad/port_values.h sm/base/buf.h sm/base/reason.h \
  discovery/builder/portinfo_pool.h sm/base/map.h sm/mad/mad.h \
  discovery/sweep/sweep.h sm/base/clock.h sm/transport/xact.h \
  sm/transport/keyring.h sm/transport/transport.h sm/base/mem.h \
  sm/mad/mad_role.h

discovery/sweep/sweep_priv.h:

discovery/builder/builder_priv.h:

discovery/builder/builder.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/buf.h:

sm/base/reason.h:

discovery/builder/portinfo_pool.h:

sm/base/map.h:

sm/mad/mad.h:

discovery/sweep/sweep.h:

sm/base/clock.h:

sm/transport/xact.h:

sm/transport/keyring.h:

sm/transport/transport.h:

sm/base/mem.h:

sm/mad/mad_role.h:
