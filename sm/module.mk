SRC += $(filter-out sm/main.c sm/heddlectl.c,$(wildcard sm/*.c sm/*/*.c))
PROGRAMS += $(B)/heddled $(B)/heddlectl

$(B)/heddled: $(B)/obj/sm/main.o $(B)/libheddle.a
$(B)/heddlectl: $(B)/obj/sm/heddlectl.o $(B)/libheddle.a
$(B)/heddled $(B)/heddlectl:
	@mkdir -p $(@D)
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)
