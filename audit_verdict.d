audit_verdict.o: sm/audit/audit_verdict.c sm/audit/audit_verdict.h \
  sm/base/buf.h sm/audit/findings.h sm/audit/audit_json.h \
  config/config.h config/diag.h sm/base/arena.h config/schema.h \
  sm/base/reason.h sm/base/clock.h discovery/builder/builder.h \
  discovery/topo.h sm/mad/port_values.h \
  distribution/device/adaptive_cache.h distribution/push/mft.h \
  distribution/tables/mft_cell.h routing/mcast/mcast.h \
  sm/transport/xact.h sm/mad/mad.h sm/transport/keyring.h \
  sm/transport/transport.h routing/core/routes.h routing/core/lft.h \
  routing/core/verdict.h sm/audit/sa_client.h sm/mad/mad_sa.h \
  sm/audit/vl_read.h sm/audit/dependencies.h sm/audit/mcast_trees.h \
  sm/audit/path_dependencies.h sm/audit/unreachable.h \
  sm/what_if/forecast.h routing/core/lid.h routing/driver/compute.h \
  routing/core/engine.h routing/improve/redundancy.h \
  routing/graph/multi_port_node.h routing/measure/bandwidth.h \
  sm/report/json_util.h sm/report/names.h

sm/audit/audit_verdict.h:

sm/base/buf.h:

sm/audit/findings.h:

sm/audit/audit_json.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

discovery/builder/builder.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/device/adaptive_cache.h:

distribution/push/mft.h:

distribution/tables/mft_cell.h:

routing/mcast/mcast.h:

sm/transport/xact.h:

sm/mad/mad.h:

sm/transport/keyring.h:

sm/transport/transport.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/audit/sa_client.h:

sm/mad/mad_sa.h:

sm/audit/vl_read.h:

sm/audit/dependencies.h:

sm/audit/mcast_trees.h:

sm/audit/path_dependencies.h:

sm/audit/unreachable.h:

sm/what_if/forecast.h:

routing/core/lid.h:

routing/driver/compute.h:

routing/core/engine.h:

routing/improve/redundancy.h:

routing/graph/multi_port_node.h:

routing/measure/bandwidth.h:

sm/report/json_util.h:

sm/report/names.h:
