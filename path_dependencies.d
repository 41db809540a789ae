path_dependencies.o: sm/audit/path_dependencies.c \
  sm/audit/path_dependencies.h routing/core/routes.h discovery/topo.h \
  sm/mad/port_values.h routing/core/lft.h routing/core/verdict.h \
  sm/base/arena.h sm/base/reason.h sm/audit/dependencies.h \
  sm/audit/sa_client.h sm/base/clock.h sm/mad/mad_sa.h sm/mad/mad.h \
  sm/transport/transport.h sm/audit/vl_read.h sm/transport/xact.h \
  sm/transport/keyring.h routing/verify/cdg.h routing/core/link_load.h \
  routing/verify/verify.h sm/base/mem.h

sm/audit/path_dependencies.h:

routing/core/routes.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

sm/audit/dependencies.h:

sm/audit/sa_client.h:

sm/base/clock.h:

sm/mad/mad_sa.h:

sm/mad/mad.h:

sm/transport/transport.h:

sm/audit/vl_read.h:

sm/transport/xact.h:

sm/transport/keyring.h:

routing/verify/cdg.h:

routing/core/link_load.h:

routing/verify/verify.h:

sm/base/mem.h:
