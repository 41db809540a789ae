inputs.o: sm/what_if/inputs.c sm/what_if/inputs.h \
  discovery/builder/builder.h discovery/topo.h sm/mad/port_values.h \
  sm/base/buf.h sm/base/reason.h routing/text/fts.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  sm/base/arena.h sm/what_if/forecast.h config/config.h config/diag.h \
  config/schema.h sm/base/clock.h routing/core/lid.h \
  routing/driver/compute.h routing/core/engine.h \
  routing/improve/redundancy.h routing/graph/multi_port_node.h \
  routing/measure/bandwidth.h sm/what_if/snapshot_read.h \
  sm/state/state_file.h discovery/text/topo_text.h \
  routing/driver/registry.h sm/base/loop.h sm/base/mem.h \
  sm/base/version.h sm/ctl/client.h sm/report/json_util.h \
  sm/what_if/routes_remap.h

sm/what_if/inputs.h:

discovery/builder/builder.h:

discovery/topo.h:

sm/mad/port_values.h:

sm/base/buf.h:

sm/base/reason.h:

routing/text/fts.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

sm/what_if/forecast.h:

config/config.h:

config/diag.h:

config/schema.h:

sm/base/clock.h:

routing/core/lid.h:

routing/driver/compute.h:

routing/core/engine.h:

routing/improve/redundancy.h:

routing/graph/multi_port_node.h:

routing/measure/bandwidth.h:

sm/what_if/snapshot_read.h:

sm/state/state_file.h:

discovery/text/topo_text.h:

routing/driver/registry.h:

sm/base/loop.h:

sm/base/mem.h:

sm/base/version.h:

sm/ctl/client.h:

sm/report/json_util.h:

sm/what_if/routes_remap.h:
