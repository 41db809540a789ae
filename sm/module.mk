SRC += $(filter-out sm/main.c sm/ctl/heddlectl.c,$(wildcard sm/*.c sm/base/*.c \
	sm/mad/*.c sm/transport/*.c sm/sa/*.c sm/ctl/*.c))
