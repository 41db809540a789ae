mad_test.o: tests/unit/sm/mad/mad_test.c sm/mad/mad.h sm/base/reason.h \
  sm/mad/port_values.h sm/base/be.h sm/base/rng.h tests/unit/suite.h

sm/mad/mad.h:

sm/base/reason.h:

sm/mad/port_values.h:

sm/base/be.h:

sm/base/rng.h:

tests/unit/suite.h:
