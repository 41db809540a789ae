partition_json.o: sm/report/partition_json.c sm/report/partition_json.h \
  sm/view/view.h discovery/topo.h sm/mad/port_values.h \
  distribution/transition/loss_estimate.h sm/base/clock.h \
  routing/core/lid.h sm/base/buf.h sm/base/reason.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  sm/base/arena.h routing/driver/compute.h routing/core/engine.h \
  config/partition_options.h config/diag.h config/schema.h \
  sm/policy/pkeys.h config/config.h distribution/tables/pkey_table.h \
  sm/policy/name_pins.h sm/report/names.h sm/view/view_partition.h

sm/report/partition_json.h:

sm/view/view.h:

discovery/topo.h:

sm/mad/port_values.h:

distribution/transition/loss_estimate.h:

sm/base/clock.h:

routing/core/lid.h:

sm/base/buf.h:

sm/base/reason.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/base/arena.h:

routing/driver/compute.h:

routing/core/engine.h:

config/partition_options.h:

config/diag.h:

config/schema.h:

sm/policy/pkeys.h:

config/config.h:

distribution/tables/pkey_table.h:

sm/policy/name_pins.h:

sm/report/names.h:

sm/view/view_partition.h:
