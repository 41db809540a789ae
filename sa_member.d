sa_member.o: sm/sa/sa_member.c sm/base/be.h sm/sa/sa_priv.h sm/base/buf.h \
  sm/base/map.h sm/mad/mad_sa.h sm/mad/mad.h sm/base/reason.h \
  sm/mad/port_values.h sm/sa/sa.h sm/base/clock.h \
  sm/transport/transport.h sm/view/view.h discovery/topo.h \
  distribution/transition/loss_estimate.h routing/core/lid.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  sm/base/arena.h routing/driver/compute.h routing/core/engine.h \
  sm/view/view_partition.h

sm/base/be.h:

sm/sa/sa_priv.h:

sm/base/buf.h:

sm/base/map.h:

sm/mad/mad_sa.h:

sm/mad/mad.h:

sm/base/reason.h:

sm/mad/port_values.h:

sm/sa/sa.h:

sm/base/clock.h:

sm/transport/transport.h:

sm/view/view.h:

discovery/topo.h:

distribution/transition/loss_estimate.h:

routing/core/lid.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

routing/driver/compute.h:

routing/core/engine.h:

sm/view/view_partition.h:
