# Benchmarks: each tests/bench/NAME_main.c is a program of its own.
$(B)/bench/%: $(B)/obj/tests/bench/%_main.o $(B)/libheddletest.a $(B)/libheddle.a
	@mkdir -p $(@D)
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/libheddletest.a $(B)/libheddle.a \
		$(LDLIBS_ALL)
