SIM := $(addprefix tests/sim/,model data serve referee replay chaos)
TESTSRC += $(filter-out %_main.c,$(wildcard $(SIM:%=%/*.c) tests/topo/*.c \
	tests/e2e/*.c)) tests/sim/preload/proto.c tests/unit/suite.c \
	$(addprefix tests/bench/,plot.c treecut.c parts.c \
	escape_net.c kinds_net.c adaptive_direct.c adaptive_options.c)
UNIT += $(shell find tests/unit -name "*_test.c" | LC_ALL=C sort)

# The simulated fabric, the judge of the end-to-end scripts, a program that
# tests the umad devices of libheddle-umad, one that sends the requests of hosts'
# programs to subnet administration, and one that compares the Sets of two
# managers.
TESTPROGRAMS := heddle-sim heddle-ftscheck heddle-umadprobe heddle-saclient \
	heddle-setdiff
PROGRAMS += $(TESTPROGRAMS:%=$(B)/%)
$(B)/heddle-sim: $(B)/obj/tests/sim/serve/heddlesim_main.o
$(B)/heddle-ftscheck: $(B)/obj/tests/e2e/ftscheck_main.o
$(B)/heddle-umadprobe: $(B)/obj/tests/e2e/umadprobe_main.o
$(B)/heddle-saclient: $(B)/obj/tests/e2e/saclient_main.o
$(B)/heddle-setdiff: LDLIBS_ALL += -libmad
$(B)/heddle-setdiff: $(B)/obj/tests/e2e/setdiff_main.o
$(TESTPROGRAMS:%=$(B)/%): $(B)/libheddletest.a $(B)/libheddle.a
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $(filter %_main.o,$^) $(B)/libheddletest.a \
		$(B)/libheddle.a $(LDLIBS_ALL)

# The library that attaches programs with libibumad to a heddle-sim server, by
# LD_PRELOAD. Never instrumented: it is loaded into sanitized programs and
# others alike.
PRELOAD := $(wildcard tests/sim/preload/*.c)
PROGRAMS += $(B)/libheddle-umad.so
$(B)/pic/%.o: %.c Makefile | deps-ok
	@mkdir -p $(@D)
	@echo CC $<
	@$(CC) $(CPPFLAGS) -std=c11 -g $(OPT) $(WARN) -fPIC \
		-fvisibility=hidden -fstack-protector-strong -pthread \
		-MMD -MP $(CFLAGS) -c -o $@ $<
$(B)/libheddle-umad.so: $(PRELOAD:%.c=$(B)/pic/%.o)
	@echo LD $@
	@$(CC) -shared -Wl,-z,defs,-z,relro,-z,now -o $@ $^ -pthread -ldl
-include $(PRELOAD:%.c=$(B)/pic/%.d)

# Measurements, run by hand or by `make bench`: build/bench/NAME.
BENCH := $(patsubst tests/bench/%_main.c,$(B)/bench/%,\
	$(wildcard tests/bench/*_main.c))
$(B)/bench/figures $(B)/bench/orders $(B)/bench/adaptive: LDLIBS_ALL += -lm
$(B)/bench/%: $(B)/obj/tests/bench/%_main.o $(B)/libheddletest.a \
		$(B)/libheddle.a
	@mkdir -p $(@D)
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/libheddletest.a $(B)/libheddle.a \
		$(LDLIBS_ALL)
.PHONY: bench-bins
bench-bins: $(BENCH)

# Fuzzers, libFuzzer's: tests/fuzz/NAME_fuzz.c becomes build/fuzz/NAME, by clang
# with its runtime library, whatever CC is; tests/check.sh runs each for 5 s.
#   build/fuzz/mad -max_total_time=600 /tmp/new tests/fuzz/corpus/mad
F := build/fuzz
FUZZBIN := $(patsubst tests/fuzz/%_fuzz.c,$(F)/%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZOBJ := $(SRC:%.c=$(F)/obj/%.o)
FUZZCC := clang $(CPPFLAGS) -std=c11 -g -O1 -pthread -MMD -MP \
	-fno-sanitize-recover=all -fno-omit-frame-pointer
$(F)/obj/%.o: %.c tests/module.mk | deps-ok
	@mkdir -p $(@D)
	@echo CC $@
	@$(FUZZCC) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<
$(F)/libheddle.a: $(FUZZOBJ)
	@rm -f $@ && ar rcs $@ $^
$(FUZZBIN): $(F)/%: $(F)/obj/tests/fuzz/%_fuzz.o $(F)/libheddle.a
	@echo LD $@
	@clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS_ALL)
.PHONY: fuzz fuzz-bins
fuzz-bins: $(FUZZBIN)
# With it installed, make check runs them.
fuzz:
	@sh tests/lint/deps.sh fuzz
	@$(MAKE) -j2 fuzz-bins
-include $(FUZZOBJ:%.o=%.d) $(FUZZBIN:$(F)/%=$(F)/obj/tests/fuzz/%_fuzz.d)

# Everything that must pass before a commit: tests/check.sh prints the times.
.PHONY: check
check: deps
	@rm -f build/.check-ran
	@tests/quietly.sh build/make.log "compiling the programs and their tests" \
		$(MAKE) -j2 all unit-bins
	@tests/quietly.sh build/make-san.log "compiling the tests with sanitizers" \
		$(MAKE) -j2 SAN=1 unit-bins
	@! sh tests/fuzz/can_build.sh || tests/quietly.sh build/make-fuzz.log \
		"compiling the fuzzers" $(MAKE) -j2 fuzz-bins
	@touch build/.check-ran
	@tests/check.sh

# A minute with Heddle, without hardware.
.PHONY: demo
demo:
	@sh tests/lint/deps.sh demo
	@tests/quietly.sh build/make.log "compiling heddled and a simulated fabric" \
		$(MAKE) --no-print-directory -j2 all
	@tests/demo.sh

# Side by side with opensm; BENCH_BIG=1 adds the 11,664-host tree (and one of
# 27,648 to route time and memory; SIZES="648 3456" picks).
$(B)/bench/smpcount.so: tests/bench/smpcount.c
	@mkdir -p $(@D)
	@$(CC) -std=c11 -O2 $(WARN) -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl

.PHONY: bench
bench:
	@sh tests/lint/deps.sh bench
	@$(MAKE) --no-print-directory -j2 all bench-bins $(B)/bench/smpcount.so
	@tests/bench/compare.sh $(FABRICS)
	@tests/bench/scale.sh $(SIZES)
	@tests/bench/sa.sh

# Routes of trees by ftree beside opensm's, their throughput, and their
# computation time. TREES="populations homes" picks sections: see
# tests/bench/trees.sh.
.PHONY: trees
trees:
	@sh tests/lint/deps.sh bench
	@$(MAKE) --no-print-directory -j2 all bench-bins
	@tests/bench/trees.sh $(TREES)

# The table of records: every field that saquery shows, and the SA's answers to
# programs of hosts, beside those of opensm; FABRIC=demo or tree648.
FABRIC ?= demo
.PHONY: records
records:
	@sh tests/lint/deps.sh bench
	@$(MAKE) --no-print-directory -j2 all
	@tests/e2e/sa.sh $(FABRIC)

# Whether slurmctld takes what heddlectl topology --format slurm prints. Its
# package starts nothing without a slurm.conf. With it installed, make check
# does the first of these.
.PHONY: slurm
slurm:
	@sh tests/lint/deps.sh slurm
	@$(MAKE) --no-print-directory -j2 all
	@for f in demo rails hyperx64; do \
		tests/e2e/pictures.sh slurm-$$f || exit; done

# Two daemons, and what may happen to the master: make managers
# [FABRICS="tree648"].
.PHONY: managers
managers:
	@sh tests/lint/deps.sh bench
	@$(MAKE) --no-print-directory -j2 all
	@tests/bench/managers.sh $(FABRICS)

# Hosts that join groups, leave and return: make groups [ARGS="HOSTS GROUPS"].
.PHONY: groups
groups:
	@sh tests/lint/deps.sh bench
	@$(MAKE) --no-print-directory -j2 all bench-bins
	@tests/bench/groups.sh $(ARGS)

# The daemon's memory, beside its budget.
.PHONY: memory
memory:
	@sh tests/lint/deps.sh bench
	@$(MAKE) --no-print-directory -j2 all
	@tests/bench/memory.sh $(FABRICS)

# Packets lost when switches and links are pulled, drained before or not: make
# pull [FABRICS="two:8:16:16"].
.PHONY: pull
pull:
	@$(MAKE) --no-print-directory -j2 $(B)/bench/pull
	@for f in $(or $(FABRICS),two:8:16:16 ufm-sdk-selene-compute); do \
		echo "== $$f"; $(B)/bench/pull $$f 2>/dev/null; rc=$$?; \
		[ $$rc != 77 ] || echo "SKIP: no $$f"; \
		[ $$rc = 0 ] || [ $$rc = 77 ] || exit $$rc; done

# The figures of two papers, measured again: data and drawings in build/figures.
# PARTS="table1 strict" picks from those on adaptive routing.
.PHONY: figures
figures:
	@$(MAKE) --no-print-directory -j2 $(B)/bench/figures $(B)/bench/adaptive
	@$(B)/bench/adaptive $(B)/figures $(or $(FABRICS),10) $(PARTS)
	@$(B)/bench/figures $(B)/figures $(FABRICS)

# All checks by programs; LINT_ALL=1 runs clang-tidy on every file.
.PHONY: lint
lint:
	@sh tests/lint/deps.sh lint
	@$(MAKE) --no-print-directory -j2 $(B)/libheddle.a $(B)/libheddletest.a
	@CLANG_FLAGS='-std=c11 $(CPPFLAGS) $(WARN_CLANG)' \
		tests/lint/run.sh $$(find $(B)/obj -name '*.o' \
		-not -path '*/tests/unit/*')

# Chaos runs of one seed after the other: make soak SECONDS=N [HOSTS=N]
# [LARGE=N] [FROM=SEED]; HOSTS at most, LARGE at least; each day is recorded and
# lived again; as many seconds again for each engine whose tables obey no order
# of switches.
SECONDS ?= 60
HOSTS ?= 600
LARGE ?= 0
FROM ?= 1
$(B)/heddle-soak: $(B)/obj/tests/sim/chaos/chaos_main.o $(B)/libheddletest.a \
		$(B)/libheddle.a
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/libheddletest.a $(B)/libheddle.a \
		$(LDLIBS_ALL)
.PHONY: soak
soak: $(B)/heddle-soak $(B)/unit/routing/verify/certificate_test
	CERTIFICATE_SEEDS=100 $(B)/unit/routing/verify/certificate_test
	$(B)/heddle-soak --seconds $(SECONDS) --hosts $(HOSTS) --large $(LARGE) \
		--from $(FROM) --replay
	$(B)/heddle-soak --seconds $(SECONDS) --hosts $(HOSTS) --adaptive \
		--from $(FROM)
	for e in dor torus dragonfly nue; do $(B)/heddle-soak \
		--seconds $(SECONDS) --hosts $(HOSTS) --engine $$e \
		--from $(FROM) || exit 1; done
