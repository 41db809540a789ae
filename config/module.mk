SRC += $(wildcard config/*.c config/import/*.c)

# make install [DESTDIR=DIR] [PREFIX=/usr]: programs, manual pages, units,
# users, the udev rule, completions, a configuration that is all comments, which
# is never written over, and the directory of its drop-ins. Nothing is started or
# enabled.
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
LIBDIR ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
INSTALL ?= install
I := config/install
D = $(DESTDIR)

# heddled.service, and the template for a second port
UNIT_SED = -e 's|@SBINDIR@|$(SBINDIR)|'
$(B)/install/heddled.service: $(I)/heddled.service.in config/module.mk
	@mkdir -p $(@D)
	@sed $(UNIT_SED) -e 's|@WHAT@|The subnet manager of this host.|' \
		-e 's|@FOR@||' -e 's|@STATE@|heddle|' \
		-e 's|@CONFIG@|$(SYSCONFDIR)/heddle/heddle.yaml|' $< >$@
$(B)/install/heddled@.service: $(I)/heddled.service.in config/module.mk
	@mkdir -p $(@D)
	@sed $(UNIT_SED) -e 's|@WHAT@|For another port: heddled@NAME has NAME.yaml\
	, which names the port, state.dir\n# /var/lib/heddle/NAME and\
	 control.socket /run/heddle/NAME/heddle.sock.|' \
		-e 's|@FOR@| (%i)|' -e 's|@STATE@|heddle/%i|' \
		-e 's|@CONFIG@|$(SYSCONFDIR)/heddle/%i.yaml|' $< >$@

# of the paths in them, too: another PREFIX is another unit
.PHONY: $(B)/install/heddled.service $(B)/install/heddled@.service

.PHONY: install
install: $(addprefix $(B)/,heddled heddlectl heddle-sim libheddle-umad.so \
		install/heddled.service install/heddled@.service)
	@PREFIX=$(PREFIX) SYSCONFDIR=$(SYSCONFDIR) BINDIR=$(BINDIR) \
		SBINDIR=$(SBINDIR) LIBDIR=$(LIBDIR) DATADIR=$(DATADIR) \
		INSTALL="$(INSTALL)" DESTDIR=$(DESTDIR) sh $(I)/install.sh $(B)

# Debian packages in build/deb: daemon, tools, simulated fabric, documentation.
.PHONY: deb
deb:
	@sh tests/lint/deps.sh deb
	@sh $(I)/deb.sh

# The image of a container with these packages, localhost/heddle; its base is
# another Debian with BASE=IMAGE.
.PHONY: image
image: deb
	@tool=$$(command -v podman || command -v buildah) || { \
		echo "heddle: make image needs podman or buildah" >&2; exit 1; }; \
	"$$tool" build $(if $(BASE),--build-arg BASE=$(BASE)) -t heddle \
		-f $(I)/Containerfile $(B)/deb

# What lintian says of them, and whether they do in a Debian of their own.
.PHONY: deb-check
deb-check:
	@sh tests/lint/deps.sh deb-check
	@sh $(I)/deb.sh
	@lintian --pedantic -I --fail-on error,warning,info,pedantic \
		--allow-root --tag-display-limit 0 $(B)/deb/*.changes
	@tests/e2e/deb.sh packages || [ $$? = 77 ]
