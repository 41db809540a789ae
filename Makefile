# Heddle's build: one non-recursive makefile, one short module.mk a folder.
#
#   make            build/heddled build/heddlectl ...
#   make demo       a minute with Heddle, without hardware
#   make check      everything that must pass before a commit
#   make lint       what a program can hold us to
#   make soak SECONDS=N  bad days from seeds, on and on
#   make fuzz       the fuzzers, and what they need
#   make bench      bring-up, sizes and answers beside opensm
#   make trees      routes of trees beside opensm, TREES="populations flows"
#   make memory     what the daemon takes, beside its budget
#   make figures    the figures of two papers, drawn again
#   make records    what saquery shows of both managers
#   make managers   two daemons, and what may happen to the master
#   make groups     what joins and leaves cost
#   make deb        Debian packages in build/deb
#   make image      an image of a container with them
#   make deb-check  what lintian says of them, and whether they work
#   make SAN=1 ...  the same under AddressSanitizer and UBSan, in build/san
#   make COV=1 ...  with coverage counters, in build/cov
#   make CC=clang   warnings are errors with either compiler

ifeq ($(origin CC),default)
CC := gcc
endif
SAN ?=
COV ?=
OPT ?= -O2

B := build
ifneq ($(SAN),)
B := build/san
endif
ifneq ($(COV),)
B := build/cov
endif

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wundef -Wvla -Wcast-qual \
	-Wcast-align -Wpointer-arith -Wwrite-strings -Wconversion \
	-Wsign-conversion -Wformat=2 -Wswitch-enum
WARN_CLANG := $(WARN) -Wcomma -Wextra-semi-stmt -Wunreachable-code \
	-Wassign-enum
ifneq ($(findstring clang,$(CC)),)
WARN := $(WARN_CLANG)
else
WARN += -Wlogical-op -Wduplicated-cond -Wduplicated-branches
endif

CPPFLAGS += -I. -D_GNU_SOURCE
CFLAGS_ALL := -std=c11 -g $(OPT) $(WARN) -fno-common -fstack-protector-strong \
	-pthread -MMD -MP $(CFLAGS)
LDLIBS_ALL := -lev -lyaml -ljansson -libumad -lsystemd -lz -lzstd -lm -pthread
ifneq ($(SAN),)
CFLAGS_ALL += -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
LDFLAGS += -fsanitize=address,undefined
endif
ifneq ($(COV),)
CFLAGS_ALL += --coverage -O0
LDFLAGS += --coverage
endif

all:

.PHONY: help
help:
	@sed -n 's/^#   make/make/p' Makefile

# What a folder contributes: SRC (into libheddle.a), PROGRAMS, tests.
SRC :=
TESTSRC :=
UNIT :=
PROGRAMS :=
SRC_MADE :=
include sm/module.mk discovery/module.mk routing/module.mk
include distribution/module.mk config/module.mk tests/module.mk

OBJ := $(SRC:%.c=$(B)/obj/%.o) $(SRC_MADE)
TESTOBJ := $(TESTSRC:%.c=$(B)/obj/%.o)
UNITBIN := $(UNIT:tests/unit/%.c=$(B)/unit/%)

all: $(PROGRAMS)

$(B)/obj/%.o: %.c Makefile | deps-ok
	@mkdir -p $(@D)
	@echo CC $<
	@$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -c -o $@ $<

$(B)/libheddle.a: $(OBJ)
	@mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

$(B)/libheddletest.a: $(TESTOBJ)
	@mkdir -p $(@D) && rm -f $@ && ar rcs $@ $^

$(B)/unit/%: $(B)/obj/tests/unit/%.o $(B)/libheddletest.a $(B)/libheddle.a
	@mkdir -p $(@D)
	@echo LD $@
	@$(CC) $(LDFLAGS) -o $@ $< $(B)/libheddletest.a $(B)/libheddle.a \
		$(LDLIBS_ALL) -libmad -lcheck -lsubunit -lm -lrt

unit-bins: $(UNITBIN)

# Missing packages are named and installed, or clearly refused.
.PHONY: all deps deps-ok unit-bins clean
deps: deps-ok
	@sh tests/lint/deps.sh check
deps-ok:
	@sh tests/lint/deps.sh build

clean:
	rm -rf build

.SECONDARY:
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
