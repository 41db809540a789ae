SRC += $(filter-out sm/main.c sm/heddlectl.c,$(wildcard sm/*.c sm/*/*.c))
PROGRAMS += $(B)/heddled $(B)/heddlectl

# The template of reports as a string of C, a line of it a line.
REPORT_HTML := $(B)/gen/fabric_report_html
SRC_MADE += $(B)/obj/gen/fabric_report_html.o
$(REPORT_HTML).c: sm/report/fabric_report.html sm/module.mk
	@mkdir -p $(@D)
	@{ echo '#include "sm/report/fabric_report.h"'; \
		echo 'const char fabric_report_html[] ='; \
		sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $<; echo ';'; } >$@
$(B)/obj/gen/fabric_report_html.o: $(REPORT_HTML).c | deps-ok
	@mkdir -p $(@D)
	@echo CC $<
	@$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

$(B)/heddled: $(B)/obj/sm/main.o $(B)/libheddle.a
$(B)/heddlectl: $(B)/obj/sm/heddlectl.o $(B)/libheddle.a
$(B)/heddled $(B)/heddlectl:
	@mkdir -p $(@D)
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)
