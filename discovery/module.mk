SRC += $(wildcard discovery/*.c)
