SRC += $(wildcard routing/*.c)
