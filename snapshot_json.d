snapshot_json.o: sm/report/snapshot_json.c sm/report/snapshot_json.h \
  sm/report/answer.h sm/base/buf.h sm/view/view.h discovery/topo.h \
  sm/mad/port_values.h distribution/transition/loss_estimate.h \
  sm/base/clock.h routing/core/lid.h sm/base/reason.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  sm/base/arena.h routing/driver/compute.h routing/core/engine.h \
  sm/base/mem.h sm/base/version.h sm/report/json_util.h \
  sm/report/names.h sm/report/standby_json.h

sm/report/snapshot_json.h:

sm/report/answer.h:

sm/base/buf.h:

sm/view/view.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/transition/loss_estimate.h:

sm/base/clock.h:

routing/core/lid.h:

sm/base/reason.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

routing/driver/compute.h:

routing/core/engine.h:

sm/base/mem.h:

sm/base/version.h:

sm/report/json_util.h:

sm/report/names.h:

sm/report/standby_json.h:
