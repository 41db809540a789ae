mcast_trees.o: sm/audit/mcast_trees.c sm/audit/mcast_trees.h \
  distribution/push/mft.h discovery/topo.h sm/mad/port_values.h \
  distribution/tables/mft_cell.h routing/mcast/mcast.h sm/base/reason.h \
  sm/base/clock.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h \
  sm/audit/dependencies.h sm/audit/sa_client.h sm/mad/mad_sa.h \
  sm/audit/vl_read.h routing/verify/cdg.h routing/core/link_load.h \
  routing/verify/verify.h routing/core/verdict.h routing/core/lft.h \
  sm/base/buf.h sm/base/mem.h sm/base/union_find.h

sm/audit/mcast_trees.h:

distribution/push/mft.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/tables/mft_cell.h:

routing/mcast/mcast.h:

sm/base/reason.h:

sm/base/clock.h:

sm/transport/xact.h:

sm/mad/mad.h:

sm/transport/keyring.h:

sm/transport/transport.h:

sm/audit/dependencies.h:

sm/audit/sa_client.h:

sm/mad/mad_sa.h:

sm/audit/vl_read.h:

routing/verify/cdg.h:

routing/core/link_load.h:

routing/verify/verify.h:

routing/core/verdict.h:

routing/core/lft.h:

sm/base/buf.h:

sm/base/mem.h:

sm/base/union_find.h:
