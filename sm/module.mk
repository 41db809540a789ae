SRC += $(filter-out sm/main.c sm/ctl/heddlectl.c,$(wildcard sm/*.c sm/base/*.c \
	sm/mad/*.c sm/transport/*.c sm/sa/*.c sm/ctl/*.c \
	sm/forecast/*.c sm/audit/*.c))
PROGRAMS += $(B)/heddled $(B)/heddlectl

$(B)/heddled: $(B)/obj/sm/main.o $(B)/libheddle.a
$(B)/heddlectl: $(B)/obj/sm/ctl/heddlectl.o $(B)/libheddle.a
$(B)/heddled $(B)/heddlectl:
	@mkdir -p $(@D)
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)
