mad.o: sm/mad/mad.c sm/mad/mad.h sm/base/reason.h sm/mad/port_values.h \
  sm/base/be.h sm/base/utf8.h sm/mad/fields.h

sm/mad/mad.h:

sm/base/reason.h:

sm/mad/port_values.h:

sm/base/be.h:

sm/base/utf8.h:

sm/mad/fields.h:
