SRC += $(wildcard distribution/*.c distribution/*/*.c distribution/*/*/*.c)
