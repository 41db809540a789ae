unreachable.o: sm/audit/unreachable.c sm/audit/unreachable.h \
  routing/core/routes.h discovery/topo.h sm/mad/port_values.h \
  routing/core/lft.h routing/core/verdict.h sm/base/arena.h \
  sm/base/reason.h routing/verify/cdg.h routing/core/link_load.h \
  routing/verify/verify.h sm/base/mem.h sm/base/union_find.h

sm/audit/unreachable.h:

routing/core/routes.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/base/reason.h:

routing/verify/cdg.h:

routing/core/link_load.h:

routing/verify/verify.h:

sm/base/mem.h:

sm/base/union_find.h:
