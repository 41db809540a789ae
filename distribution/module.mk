SRC += $(wildcard distribution/*.c)
