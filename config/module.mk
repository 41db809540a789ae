SRC += $(wildcard config/*.c config/import/*.c)
