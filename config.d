config.o: config/config.c config/config.h config/diag.h sm/base/arena.h \
  sm/base/buf.h config/schema.h sm/base/reason.h sm/base/clock.h \
  config/option_table.h config/partition_options.h config/qos_options.h \
  config/setting.h config/value.h config/yaml.h sm/base/mem.h

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

config/option_table.h:

config/partition_options.h:

config/qos_options.h:

config/setting.h:

config/value.h:

config/yaml.h:

sm/base/mem.h:
