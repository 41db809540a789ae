SRC += $(wildcard routing/*.c routing/*/*.c routing/*/*/*.c)
