SRC += $(wildcard discovery/*.c discovery/*/*.c discovery/*/*/*.c)
