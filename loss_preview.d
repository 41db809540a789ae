loss_preview.o: sm/what_if/loss_preview.c sm/what_if/loss_preview.h \
  sm/policy/config_loss.h config/config.h config/diag.h sm/base/arena.h \
  sm/base/buf.h config/schema.h sm/base/reason.h sm/base/clock.h \
  discovery/topo.h sm/mad/port_values.h routing/core/lid.h \
  sm/policy/name_pins.h sm/what_if/snapshot_read.h routing/core/routes.h \
  routing/core/lft.h routing/core/verdict.h sm/state/state_file.h \
  sm/base/mem.h sm/what_if/inputs.h discovery/builder/builder.h \
  routing/text/fts.h sm/what_if/forecast.h routing/driver/compute.h \
  routing/core/engine.h routing/improve/redundancy.h \
  routing/graph/multi_port_node.h routing/measure/bandwidth.h

sm/what_if/loss_preview.h:

sm/policy/config_loss.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/lid.h:

sm/policy/name_pins.h:

sm/what_if/snapshot_read.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/state/state_file.h:

sm/base/mem.h:

sm/what_if/inputs.h:

discovery/builder/builder.h:

routing/text/fts.h:

sm/what_if/forecast.h:

routing/driver/compute.h:

routing/core/engine.h:

routing/improve/redundancy.h:

routing/graph/multi_port_node.h:

routing/measure/bandwidth.h:
