snapshot_read.o: sm/what_if/snapshot_read.c sm/what_if/snapshot_read.h \
  config/config.h config/diag.h sm/base/arena.h sm/base/buf.h \
  config/schema.h sm/base/reason.h sm/base/clock.h routing/core/lid.h \
  discovery/topo.h sm/mad/port_values.h routing/core/routes.h \
  routing/core/lft.h routing/core/verdict.h sm/state/state_file.h \
  discovery/builder/builder.h routing/core/engine.h \
  routing/driver/registry.h routing/updown/engine_cache_io.h \
  sm/base/mem.h sm/base/version.h sm/policy/jobs.h sm/report/json_util.h \
  sm/report/names.h sm/report/snapshot_json.h sm/report/answer.h \
  sm/view/view.h distribution/transition/loss_estimate.h \
  routing/driver/compute.h

sm/what_if/snapshot_read.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

routing/core/lid.h:

discovery/topo.h:

sm/mad/port_values.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/state/state_file.h:

discovery/builder/builder.h:

routing/core/engine.h:

routing/driver/registry.h:

routing/updown/engine_cache_io.h:

sm/base/mem.h:

sm/base/version.h:

sm/policy/jobs.h:

sm/report/json_util.h:

sm/report/names.h:

sm/report/snapshot_json.h:

sm/report/answer.h:

sm/view/view.h:

distribution/transition/loss_estimate.h:

routing/driver/compute.h:
