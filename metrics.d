metrics.o: sm/ctl/metrics.c sm/ctl/metrics.h sm/base/buf.h \
  sm/base/reason.h

sm/ctl/metrics.h:

sm/base/buf.h:

sm/base/reason.h:
