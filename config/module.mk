SRC += $(wildcard config/*.c)
