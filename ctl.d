ctl.o: sm/ctl/ctl.c sm/ctl/ctl.h sm/base/clock.h sm/base/loop.h \
  sm/base/reason.h sm/report/sm_status.h \
  distribution/device/sl2vl_scan.h discovery/topo.h sm/mad/port_values.h \
  distribution/device/sl2vl_cache.h sm/transport/xact.h sm/mad/mad.h \
  sm/transport/keyring.h sm/transport/transport.h sm/sa/sa.h \
  sm/base/buf.h sm/mad/mad_sa.h sm/view/view.h \
  distribution/transition/loss_estimate.h routing/core/lid.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  sm/base/arena.h routing/driver/compute.h routing/core/engine.h \
  sm/base/file.h sm/base/mem.h sm/report/answer.h \
  sm/report/change_json.h sm/report/names.h \
  sm/report/partition_explain.h sm/report/routes_json.h \
  sm/report/snapshot_json.h sm/report/topology_json.h \
  sm/report/tree_json.h

sm/ctl/ctl.h:

sm/base/clock.h:

sm/base/loop.h:

sm/base/reason.h:

sm/report/sm_status.h:

distribution/device/sl2vl_scan.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/device/sl2vl_cache.h:

sm/transport/xact.h:

sm/mad/mad.h:

sm/transport/keyring.h:

sm/transport/transport.h:

sm/sa/sa.h:

sm/base/buf.h:

sm/mad/mad_sa.h:

sm/view/view.h:

distribution/transition/loss_estimate.h:

routing/core/lid.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

routing/driver/compute.h:

routing/core/engine.h:

sm/base/file.h:

sm/base/mem.h:

sm/report/answer.h:

sm/report/change_json.h:

sm/report/names.h:

sm/report/partition_explain.h:

sm/report/routes_json.h:

sm/report/snapshot_json.h:

sm/report/topology_json.h:

sm/report/tree_json.h:
