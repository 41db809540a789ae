option_table.o: config/option_table.c config/option_table.h \
  config/schema.h config/diag.h sm/base/arena.h sm/base/buf.h \
  sm/base/reason.h config/config.h sm/base/clock.h \
  config/partition_options.h config/qos_options.h

config/option_table.h:

config/schema.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

sm/base/reason.h:

config/config.h:

sm/base/clock.h:

config/partition_options.h:

config/qos_options.h:
