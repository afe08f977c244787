# twopoint: `make help` tells what there is.
#
# One file, no recursion but for builds of another kind (BUILD=…). What a build needs and the machine lacks is installed first.

BUILD ?= build
PREFIX ?= /usr/local
CC ?= cc
# Native code is measured on the machine that it is built on. Another machine builds its own, or gives ARCH.
ARCH ?= -march=native
OPTIMIZE ?= -O3
SANITIZE ?=
PKG_CONFIG ?= pkg-config
RUN_WITH ?=
# The queues whose loops are built, by their C names; none: all of them. They are dear to compile under sanitizers, and the loops are the same.
LOOPS ?=
# 0: no peers (queues/peers) are built; else those that are here. With LOOPS only those that it names.
PEERS ?= 1
# of the same make as CC
ifeq ($(origin CXX),default)
CXX := $(patsubst clang,clang++,$(patsubst clang-%,clang++-%,$(patsubst cc,c++,$(patsubst gcc,g++,$(patsubst %-gcc,%-g++,$(CC))))))
endif
# how many compilers, and tests, at once; empty: as many as the make above allows
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
V ?= 0
Q := $(if $(filter 1,$(V)),,@)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

FOLDERS := queues pinning results plots bench
VERSION := 0.1.0
COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

# ---- what is where ----

# symbol:file of each queue
QUEUES := $(shell sed -n 's/^QUEUE(\([a-z0-9_]*\), "\(.*\)")$$/\1:\2/p' queues/queues.def)
QUEUE_SYMBOLS := $(foreach queue,$(QUEUES),$(firstword $(subst :, ,$(queue))))
QUEUE_FILES := $(foreach queue,$(QUEUES),queues/$(lastword $(subst :, ,$(queue))))

# symbol:file:package:header:library:Debian's package of each peer, "-" for none; those whose header is here are built
PEERS_ALL := $(shell sed -n 's/^PEER(\(.*\))$$/\1/p' queues/peers/peers.def | tr -d '" ' | tr , :)
PEER_FIELD = $(word $(2),$(subst :, ,$(1)))
PEER_PACKAGES := $(filter-out -,$(sort $(foreach peer,$(PEERS_ALL),$(call PEER_FIELD,$(peer),3))))
PEERS_ASKED := $(if $(filter 0,$(PEERS)),,$(if $(LOOPS),$(filter $(addsuffix :%,$(LOOPS)),$(PEERS_ALL)),$(PEERS_ALL)))
ifneq ($(PEERS_ASKED),)
$(foreach package,$(PEER_PACKAGES),$(eval PEER_FLAGS_$(package) := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags-only-I $(package) 2>/dev/null))))
HAS_CXX := $(shell command -v $(lastword $(CXX)))
PEER_HEADERS_HERE := $(shell { $(foreach header,$(sort $(foreach peer,$(PEERS_ASKED),$(call PEER_FIELD,$(peer),4))),\
	echo '\#if __has_include(<$(header)>)'; echo '$(header)'; echo '\#endif';) } | $(CC) $(foreach package,$(PEER_PACKAGES),$(PEER_FLAGS_$(package))) -E -P - 2>/dev/null)
PEERS_BUILT := $(foreach peer,$(PEERS_ASKED),$(if $(filter $(call PEER_FIELD,$(peer),4),$(PEER_HEADERS_HERE)),$(if $(filter %.c,$(call PEER_FIELD,$(peer),2))$(HAS_CXX),$(peer))))
PEER_VERSIONS := $(shell dpkg-query -W -f='$${Package}=$${Version} ' $(sort $(foreach peer,$(PEERS_BUILT),$(call PEER_FIELD,$(peer),6))) 2>/dev/null)
endif
PEER_VERSION = $(or $(patsubst $(1)=%,%,$(filter $(1)=%,$(PEER_VERSIONS))),of unknown version)
# those that are linked with it, where nothing of one is needed it is left out
PEER_LIBS = $(if $(PEERS_BUILT),-Wl$(COMMA)--as-needed $(filter-out -,$(sort $(foreach peer,$(PEERS_BUILT),$(call PEER_FIELD,$(peer),5)))) -lstdc++)

SOURCES_queues := $(sort $(wildcard queues/*.c)) $(QUEUE_FILES)
# the checker: what every queue must do; apart from the library, for it has clocks and processes
SOURCES_check := $(sort $(wildcard queues/check/*.c))
SOURCES_pinning := $(sort $(wildcard pinning/*.c))
SOURCES_results := $(sort $(wildcard results/*.c))
SOURCES_plots := $(sort $(wildcard plots/*.c))
# target.c is compiled per queue; fault.c belongs to the test build; main.c is no library's
SOURCES_bench := $(filter-out bench/target.c bench/fault.c bench/main.c,$(sort $(wildcard bench/*.c)))

OBJECTS = $(patsubst %.c,$(BUILD)/%.o,$(SOURCES_$(1)))
TARGETS := $(patsubst %,$(BUILD)/targets/%.o,$(if $(LOOPS),$(filter $(LOOPS),$(QUEUE_SYMBOLS)),$(QUEUE_SYMBOLS)) $(foreach peer,$(PEERS_BUILT),$(call PEER_FIELD,$(peer),1)))
GENERATED := schema_text.c figure_scripts.c report_texts.c suite_texts.c completion_text.c

LIBRARIES := $(patsubst %,$(BUILD)/lib%.a,bench plots results check) $(BUILD)/libtwopoint.a
TESTS := $(foreach folder,$(FOLDERS),$(patsubst $(folder)/tests/%.c,$(BUILD)/tests/$(folder)/%,$(sort $(wildcard $(folder)/tests/test_*.c))))
SHELL_TESTS := $(sort $(wildcard $(patsubst %,%/tests/test_*.sh,$(FOLDERS))))

# ---- how it is compiled ----

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS ?= $(OPTIMIZE) $(ARCH) -g1
# measured loops: copies stay loops instead of becoming calls; they are vectors where they say so, since what the compiler makes of
# runs of one or three words is slower than plain code; functions begin where a line begins
IS_GCC = $(shell $(CC) --version 2>/dev/null | grep -q 'Free Software Foundation' && echo 1)
IS_X86_64 = $(filter x86_64,$(shell $(CC) -dumpmachine | cut -d- -f1))
GCC_LOOP_FLAGS := -fno-tree-loop-distribute-patterns -fno-tree-vectorize -falign-functions=64 -falign-loops=32
LOOP_FLAGS = $(if $(IS_GCC),$(if $(IS_X86_64),-minline-all-stringops) $(GCC_LOOP_FLAGS),-fno-builtin-memcpy -fno-vectorize -fno-slp-vectorize -falign-functions=64)
COMMON = -std=gnu11 -D_GNU_SOURCE $(CFLAGS) $(WARNINGS) -Wno-psabi $(if $(IS_GCC),-Wno-format-truncation) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) -pthread

# the same for peers in C++: what their headers assert is for their authors
COMMON_CXX = -std=gnu++17 -D_GNU_SOURCE $(CFLAGS) -Wall -Wextra -Wshadow -Werror -Wno-missing-field-initializers -Wno-psabi $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer) -pthread
COMMON_PEER = $(if $(filter %.cpp,$(1)),$(CXX) $(COMMON_CXX) -x c++,$(CC) $(COMMON)) -DNDEBUG

# a folder sees its own headers and those of the folders that it may know
SEES_queues := queues
SEES_check := queues queues/check
SEES_pinning := pinning
SEES_results := results
SEES_plots := plots results
SEES_bench := bench queues queues/check pinning results plots
INCLUDES = $(patsubst %,-iquote %,$(SEES_$(1)))

PACKAGES := hwloc numa jansson inih zlib sqlite3
# looked up when used: the packages may have been installed meanwhile
PACKAGE_FLAGS = $(shell $(PKG_CONFIG) --cflags $(PACKAGES))
LIBS = $(shell $(PKG_CONFIG) --libs $(PACKAGES)) -lm $(PEER_LIBS)
TEST_LIBS = $(shell $(PKG_CONFIG) --libs cmocka) $(LIBS)

define say
@printf '  %-8s %s\n' '$(1)' '$(2)'
endef

.PHONY: all
all: $(BUILD)/twopoint

# ---- what must be there first ----

DEPS := pkg-config libhwloc-dev libnuma-dev libjansson-dev libinih-dev zlib1g-dev libsqlite3-dev libcmocka-dev gnuplot-nox python3
DEPS_CI := chromium locales g++ clang libclang-rt-14-dev spin binutils strace gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
DEPS_ARM64 := libhwloc-dev:arm64 libnuma-dev:arm64 libjansson-dev:arm64 libinih-dev:arm64 zlib1g-dev:arm64 libsqlite3-dev:arm64 libcmocka-dev:arm64
# small ones, in C and in C++
DEPS_CI_PEERS := libck-dev liburcu-dev libreaderwriterqueue-dev libconcurrentqueue-dev
DEPS_PEERS := g++ $(sort $(foreach peer,$(PEERS_ALL),$(call PEER_FIELD,$(peer),6)))
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APT_INSTALL := $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends

.PHONY: deps deps-ci deps-peers
deps:
	@command -v apt-get >/dev/null || { echo "twopoint needs, by Debian's names: $(DEPS)" >&2; exit 3; }
	$(SUDO) apt-get update -q
	$(APT_INSTALL) $(DEPS)

deps-ci: deps
	$(SUDO) dpkg --add-architecture arm64
	$(SUDO) apt-get update -q
	$(APT_INSTALL) $(DEPS_CI) $(DEPS_CI_PEERS) $(DEPS_ARM64)

deps-peers:
	@command -v apt-get >/dev/null || { echo "the peers are, by Debian's names: $(DEPS_PEERS)" >&2; exit 3; }
	$(SUDO) apt-get update -q
	$(APT_INSTALL) $(DEPS_PEERS)

$(BUILD)/.have-deps: Makefile
	$(Q)mkdir -p $(BUILD)
	$(Q){ command -v $(PKG_CONFIG) && command -v gnuplot && command -v python3 && $(PKG_CONFIG) --exists $(PACKAGES) cmocka; } >/dev/null 2>&1 || $(MAKE) deps
	$(Q)touch $@

# ---- objects ----

define FOLDER_RULES
$(BUILD)/$(1)/%.o: $(1)/%.c | $(BUILD)/.have-deps
	$$(call say,CC,$$<)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(COMMON) $(if $(filter queues,$(1)),$$(LOOP_FLAGS)) $$(call INCLUDES,$(1)) $(if $(filter queues,$(1)),,$$(PACKAGE_FLAGS)) $$(EXTRA) -MMD -MP -c $$< -o $$@
endef
$(foreach folder,$(FOLDERS),$(eval $(call FOLDER_RULES,$(folder))))

$(BUILD)/queues/check/%.o: queues/check/%.c | $(BUILD)/.have-deps
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(call INCLUDES,check) -MMD -MP -c $< -o $@

# one queue and its loops
define TARGET_RULES
$(BUILD)/targets/$(1).o: bench/target.c queues/$(2) | $(BUILD)/.have-deps
	$$(call say,CC,$$< for $(2))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(COMMON) $$(LOOP_FLAGS) -iquote bench -iquote queues -Iqueues -DTARGET=target_$(1) -DTARGET_FILE='"$(2)"' -MMD -MP -c $$< -o $$@
endef
$(foreach queue,$(QUEUES),$(eval $(call TARGET_RULES,$(firstword $(subst :, ,$(queue))),$(lastword $(subst :, ,$(queue))))))

# one peer and its loops, compiled as ours are. Its own headers are others' business: they are searched as the system's.
define PEER_RULES
$(BUILD)/targets/$(1).o: bench/target.c queues/$(2) $(BUILD)/generated/peers_found.def | $(BUILD)/.have-deps
	$$(call say,CC,$$< for $(2))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(call COMMON_PEER,$(2)) $$(LOOP_FLAGS) -iquote bench -iquote queues -Iqueues $$(PEER_FLAGS_$(3)) -DTARGET=target_$(1) -DTARGET_FILE='"$(2)"' -DPEER_VERSION='"$(call PEER_VERSION,$(6))"' -MMD -MP -c $$< -o $$@
endef
$(foreach peer,$(PEERS_BUILT),$(eval $(call PEER_RULES,$(call PEER_FIELD,$(peer),1),$(call PEER_FIELD,$(peer),2),$(call PEER_FIELD,$(peer),3),$(call PEER_FIELD,$(peer),4),$(call PEER_FIELD,$(peer),5),$(call PEER_FIELD,$(peer),6))))

# all peers, and which of them are built; made anew when that, or a version, changes
PEER_NAME = $(subst _,-,$(call PEER_FIELD,$(1),1))
$(BUILD)/generated/peers_found.def: FORCE
	$(Q)mkdir -p $(@D); { $(foreach peer,$(PEERS_ALL),$(if $(filter $(peer),$(PEERS_BUILT)),\
		echo 'PEER_BUILT($(call PEER_FIELD,$(peer),1), "$(call PEER_NAME,$(peer))", "$(call PEER_FIELD,$(peer),6)", "$(call PEER_VERSION,$(call PEER_FIELD,$(peer),6))")';,\
		echo 'PEER_ABSENT($(call PEER_FIELD,$(peer),1), "$(call PEER_NAME,$(peer))", "$(call PEER_FIELD,$(peer),6)", "$(if $(filter $(peer),$(PEERS_ASKED)),<$(call PEER_FIELD,$(peer),4)> was not found,it was left out)")';)) } >$@.new; \
	cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/bench/peers.o: EXTRA = -iquote $(BUILD)/generated
$(BUILD)/bench/peers.o: $(BUILD)/generated/peers_found.def

$(BUILD)/bench/build_facts.o: EXTRA = -DBUILD_VERSION='"$(VERSION)"' -DBUILD_COMMIT='"$(COMMIT)"' -DBUILD_FLAGS='"$(CFLAGS)"' -DBUILD_LOOP_FLAGS='"$(strip $(CFLAGS) $(LOOP_FLAGS))"'
$(BUILD)/bench/build_facts.o: $(BUILD)/.commit
# made anew when the commit changes
$(BUILD)/.commit: FORCE
	$(Q)mkdir -p $(BUILD); echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
.PHONY: FORCE
FORCE:

# ---- what others compile against: in one folder, as it is installed ----

INCLUDE := $(BUILD)/include/twopoint
# those that make a plug-in; a checksum over them, and over the flags that one is compiled with, tells one that was made for another program
PLUGIN_HEADERS := $(patsubst %,bench/%.h,plugin plugin_abi loop_table target message endpoint clock arrivals busy) $(sort $(wildcard bench/loops*.h)) $(patsubst %,queues/%.h,queue atomic copy stage stream wait)
PLUGIN_CHECKSUM = $(shell { cat $(PLUGIN_HEADERS); echo '$(CFLAGS) $(LOOP_FLAGS)'; } | cksum | cut -d' ' -f1)u
INCLUDED := $(sort $(PLUGIN_HEADERS) $(filter-out pinning/sysfile.h,$(wildcard queues/*.h pinning/*.h)))

# as gcc hands them to its compiler proper, where -march=native is spelt out: "arch=…", "avx2", "no-avx512f", …
GCC_TARGET_FLAGS = $(shell $(CC) $(CFLAGS) -v -E -x c /dev/null 2>&1 | grep 'cc1 ' | tr ' ' '\n' | sed -n 's/^-march=\(.*\)/"arch=\1"/p; s/^-mtune=\(.*\)/"tune=\1"/p; s/^-m\([a-z0-9.-]*\)$$/"\1"/p')
COMMA := ,
EMPTY :=
COMMAS = $(subst $(EMPTY) $(EMPTY),$(COMMA) ,$(strip $(1)))
QUOTED = $(foreach flag,$(1),"$(flag)")

# gcc takes these within a file: a plug-in's loops are compiled as ours are, without a word on its command line
$(INCLUDE)/plugin_flags.h: $(PLUGIN_HEADERS) Makefile
	$(call say,TEXT,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ echo '/* Made when twopoint was: what the loops of its own queues were compiled with. */'; \
	  echo '#define PLUGIN_HEADERS $(PLUGIN_CHECKSUM)'; \
	  echo '#if defined(__GNUC__) && !defined(__clang__) && !defined(TWOPOINT_OWN_FLAGS)'; \
	  echo '#pragma GCC optimize ($(call COMMAS,$(call QUOTED,$(patsubst -%,%,$(or $(filter -O%,$(CFLAGS)),-O3)) $(patsubst -f%,%,$(GCC_LOOP_FLAGS)) inline)))'; echo '#define PLUGIN_FLAGS_OPTIMISE'; \
	  $(if $(and $(IS_GCC),$(IS_X86_64)),echo '#if __GNUC__ == $(shell $(CC) -dumpversion | cut -d. -f1) && defined(__x86_64__)'; \
	  echo '#pragma GCC target ($(call COMMAS,"inline-all-stringops" $(GCC_TARGET_FLAGS)))'; echo '#define PLUGIN_FLAGS_OF_BUILT_IN'; echo '#endif';) \
	  echo '#endif'; } >$@

$(INCLUDE)/plugin.h: $(INCLUDED) $(INCLUDE)/plugin_flags.h
	$(Q)mkdir -p $(@D) && cp $(INCLUDED) $(@D)/ && touch $@

$(BUILD)/bench/plugin_load.o: EXTRA = -DPLUGIN_HEADERS=$(PLUGIN_CHECKSUM)
$(BUILD)/bench/plugin_load.o: $(PLUGIN_HEADERS) Makefile

# ---- texts that are compiled in ----

# as characters, which are signed or not as the compiler has them
AS_BYTES = od -An -v -to1 $(1) | sed "s/ *\([0-7][0-7]*\)/'\\\\\1',/g"

$(BUILD)/generated/schema_text.c: results/record.schema.json
	$(call say,TEXT,$<)
	$(Q)mkdir -p $(@D)
	$(Q){ echo 'extern const char schema_text[];'; echo 'const char schema_text[] = {'; $(call AS_BYTES,$<); echo '0};'; } >$@

$(BUILD)/generated/completion_text.c: bench/completion.bash
	$(call say,TEXT,$<)
	$(Q)mkdir -p $(@D)
	$(Q){ echo 'extern const char completion_text[];'; echo 'const char completion_text[] = {'; $(call AS_BYTES,$<); echo '0};'; } >$@

# struct NAME { name, text } NAMEs[]: one entry a file, ended by {0, 0}
define TEXTS
{ echo '#include "$(1)"'; for file in $(4); do echo "static const char text_$$(basename $$file $(5) | tr -c 'a-z0-9\n' _)[] = {"; $(call AS_BYTES,$$file); echo '0};'; done; \
  echo 'const struct $(2) $(3)[] = {'; for file in $(4); do echo "{\"$$(basename $$file $(5))\", text_$$(basename $$file $(5) | tr -c 'a-z0-9\n' _)},"; done; echo '{0, 0}};'; } >$@
endef

FIGURE_SCRIPTS := $(sort $(wildcard plots/*.gp))
$(BUILD)/generated/figure_scripts.c: $(FIGURE_SCRIPTS)
	$(call say,TEXT,plots/*.gp)
	$(Q)mkdir -p $(@D)
	$(Q)$(call TEXTS,figures.h,figure_script,figure_scripts,$(FIGURE_SCRIPTS),.gp)

# The page's policy allows this one script, by its checksum.
REPORT_TEXTS := $(sort $(wildcard plots/report/*))
$(BUILD)/generated/page.js.hash: plots/report/page.js | $(BUILD)/.have-deps
	$(Q)mkdir -p $(@D)
	$(Q)python3 -c 'import base64, hashlib, sys; print(end="sha256-" + base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())' <$< >$@
$(BUILD)/generated/report_texts.c: $(REPORT_TEXTS) $(BUILD)/generated/page.js.hash
	$(call say,TEXT,plots/report/*)
	$(Q)$(call TEXTS,report.h,report_text,report_texts,$^)

SUITES := $(sort $(wildcard bench/suites/*.ini))
$(BUILD)/generated/suite_texts.c: $(SUITES)
	$(call say,TEXT,bench/suites/*.ini)
	$(Q)mkdir -p $(@D)
	$(Q)$(call TEXTS,suite.h,suite_text,suite_texts,$(SUITES),.ini)

$(BUILD)/generated/%.o: $(BUILD)/generated/%.c | $(BUILD)/.have-deps
	$(Q)$(CC) $(COMMON) -iquote plots -iquote results -iquote bench -iquote queues -iquote pinning $(PACKAGE_FLAGS) -MMD -MP -c $< -o $@

# ---- libraries and programs ----

define ARCHIVE
$(call say,AR,$@)
$(Q)rm -f $@ && ar rcs $@ $(filter %.o,$^)
endef

$(BUILD)/libtwopoint.a: $(call OBJECTS,queues) $(call OBJECTS,pinning)
	$(ARCHIVE)
$(BUILD)/libcheck.a: $(call OBJECTS,check)
	$(ARCHIVE)
$(BUILD)/libresults.a: $(call OBJECTS,results) $(BUILD)/generated/schema_text.o
	$(ARCHIVE)
$(BUILD)/libplots.a: $(call OBJECTS,plots) $(patsubst %,$(BUILD)/generated/%.o,figure_scripts report_texts)
	$(ARCHIVE)
$(BUILD)/libbench.a: $(if $(LOOPS),$(filter-out %/targets.o,$(call OBJECTS,bench)) $(BUILD)/loops/targets.o,$(call OBJECTS,bench)) $(TARGETS) $(patsubst %,$(BUILD)/generated/%.o,suite_texts completion_text)
	$(ARCHIVE)

# with LOOPS there is a shorter list; what runs loops is linked to it
ifneq ($(LOOPS),)
$(BUILD)/loops/queues.def: queues/queues.def $(BUILD)/.loops
	$(Q)mkdir -p $(@D) && grep $(patsubst %,-e '^QUEUE.%$(COMMA)',$(LOOPS)) $< >$@
$(BUILD)/loops/%.c: queues/%.c $(BUILD)/loops/queues.def
	$(Q)cp $< $@
$(BUILD)/loops/%.c: bench/%.c $(BUILD)/loops/queues.def
	$(Q)cp $< $@
$(BUILD)/loops/%.o: $(BUILD)/loops/%.c
	$(Q)$(CC) $(COMMON) $(call INCLUDES,bench) -MMD -MP -c $< -o $@
$(patsubst %,$(BUILD)/%,twopoint tests/bench/test_loops tests/bench/test_many): $(BUILD)/loops/list.o
endif

# what a plug-in calls of the program that loads it
EXPORTS := bench/plugin.exports

$(BUILD)/twopoint: $(BUILD)/bench/main.o $(LIBRARIES) $(EXPORTS) | $(INCLUDE)/plugin.h
	$(call say,LD,$@)
	$(Q)$(CC) $(COMMON) -Wl,--dynamic-list=$(EXPORTS) $(filter %.o,$^) $(LIBRARIES) $(LIBS) -o $@

# what goes by the list of loops is made anew when that changes
$(BUILD)/libbench.a: $(BUILD)/.loops
$(BUILD)/.loops: FORCE
	$(Q)mkdir -p $(BUILD); echo '$(LOOPS)' | cmp -s - $@ || echo '$(LOOPS)' >$@

# the instrument with faults to be planted: the files that have places for them are compiled anew. Its list of queues goes on with some that
# go wrong: the files that include the list are compiled beside it, as copies.
FAULTY_DEF := bench/tests/faulty/queues.def
FAULTY_QUEUES := $(shell sed -n 's/^QUEUE(\([a-z0-9_]*\), "\(.*\)")$$/\1:\2/p' $(FAULTY_DEF))
FAULTY := $(patsubst %,$(BUILD)/faults/%.o,fault trial trial_latency analysis list targets $(foreach queue,$(FAULTY_QUEUES),queue_$(firstword $(subst :, ,$(queue))) target_$(firstword $(subst :, ,$(queue)))))
FAULTY_CC = $(Q)mkdir -p $(@D) && $(CC) $(COMMON) $(call INCLUDES,bench) $(PACKAGE_FLAGS) -DTWOPOINT_FAULTS -MMD -MP

$(BUILD)/faults/%.o: bench/%.c | $(BUILD)/.have-deps
	$(FAULTY_CC) -c $< -o $@
$(BUILD)/faults/list.o $(BUILD)/faults/targets.o: $(BUILD)/faults/%.o: $(BUILD)/faults/%.c $(BUILD)/faults/queues.def
	$(FAULTY_CC) -c $< -o $@
$(BUILD)/faults/queues.def: $(if $(LOOPS),$(BUILD)/loops,queues)/queues.def $(FAULTY_DEF) $(BUILD)/.loops
	$(Q)mkdir -p $(@D) && cat $(filter %.def,$^) >$@
$(BUILD)/faults/list.c: queues/list.c
	$(Q)mkdir -p $(@D) && cp $< $@
$(BUILD)/faults/targets.c: bench/targets.c
	$(Q)mkdir -p $(@D) && cp $< $@
define FAULTY_RULES
$(BUILD)/faults/queue_$(1).o: bench/$(2) | $(BUILD)/.have-deps
	$$(FAULTY_CC) $$(LOOP_FLAGS) -c $$< -o $$@
$(BUILD)/faults/target_$(1).o: bench/target.c bench/$(2) | $(BUILD)/.have-deps
	$$(FAULTY_CC) $$(LOOP_FLAGS) -DTARGET=target_$(1) -DTARGET_FILE='"$(2)"' -c $$< -o $$@
endef
$(foreach queue,$(FAULTY_QUEUES),$(eval $(call FAULTY_RULES,$(firstword $(subst :, ,$(queue))),$(lastword $(subst :, ,$(queue))))))

$(BUILD)/twopoint-faults: $(BUILD)/bench/main.o $(FAULTY) $(LIBRARIES) $(EXPORTS)
	$(call say,LD,$@)
	$(Q)$(CC) $(COMMON) -Wl,--dynamic-list=$(EXPORTS) $< $(FAULTY) $(LIBRARIES) $(LIBS) -o $@

# ---- tests ----

# test_*.c are programs; the other files of a tests folder belong to each of them. A folder's tests are linked to the libraries that it knows.
LINKS_queues := $(BUILD)/libcheck.a $(BUILD)/libtwopoint.a
LINKS_pinning := $(BUILD)/libtwopoint.a
LINKS_results := $(BUILD)/libresults.a
LINKS_plots := $(BUILD)/libplots.a $(BUILD)/libresults.a
LINKS_bench := $(LIBRARIES)
define TEST_RULES
$(BUILD)/tests/$(1)/%.o: $(1)/tests/%.c | $(BUILD)/.have-deps
	$$(call say,CC,$$<)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(COMMON) $(if $(filter queues,$(1)),$$(LOOP_FLAGS)) -iquote $(1)/tests $$(call INCLUDES,$(if $(filter queues,$(1)),check,$(1))) $(if $(filter queues,$(1)),,$$(PACKAGE_FLAGS)) -MMD -MP -c $$< -o $$@

$(BUILD)/tests/$(1)/test_%: $(BUILD)/tests/$(1)/test_%.o $(patsubst $(1)/tests/%.c,$(BUILD)/tests/$(1)/%.o,$(filter-out $(1)/tests/test_%,$(sort $(wildcard $(1)/tests/*.c)))) $(LINKS_$(1))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(COMMON) $$(filter %.o,$$^) $$(filter %.a,$$^) $$(TEST_LIBS) -o $$@
endef
$(foreach folder,$(FOLDERS),$(eval $(call TEST_RULES,$(folder))))
.SECONDARY:

# the interleaver, and the queues whose every atomic access is a step of it
INTERLEAVED := $(shell sed -n 's/^QUEUE(\([a-z0-9_]*\), .*)$$/\1/p' queues/tests/interleave/interleaved.def)
$(BUILD)/tests/queues/test_interleave: $(patsubst queues/tests/interleave/%.c,$(BUILD)/interleave/%.o,$(filter-out %/interleaved.c,$(sort $(wildcard queues/tests/interleave/*.c)))) $(patsubst %,$(BUILD)/interleave/queue_%.o,$(INTERLEAVED))
INTERLEAVE_CC = $(Q)mkdir -p $(@D) && $(CC) $(COMMON) -iquote queues/tests/interleave $(call INCLUDES,check) -MMD -MP
$(BUILD)/interleave/%.o: queues/tests/interleave/%.c | $(BUILD)/.have-deps
	$(INTERLEAVE_CC) -c $< -o $@
define INTERLEAVE_RULES
$(BUILD)/interleave/queue_$(1).o: queues/tests/interleave/interleaved.c queues/$(2) | $(BUILD)/.have-deps
	$$(call say,CC,$(2) to be interleaved)
	$$(INTERLEAVE_CC) -Iqueues -DTARGET_FILE='"$(2)"' -c $$< -o $$@
endef
# these twins write as adaptive does only where its stage proved quicker, or after many messages
INTERLEAVED_TWINS := adaptive_staged:tests/adaptive_staged.c adaptive_turns:tests/adaptive_turns.c
$(foreach queue,$(QUEUES) $(INTERLEAVED_TWINS),$(eval $(call INTERLEAVE_RULES,$(firstword $(subst :, ,$(queue))),$(lastword $(subst :, ,$(queue))))))

# what fuzzing calls, with the corpus that is kept of it
FUZZED := $(patsubst bench/tests/%.c,$(BUILD)/tests/bench/%.o,$(filter-out %/libfuzzer.c,$(sort $(wildcard bench/tests/fuzz/*.c))))
$(BUILD)/tests/bench/test_corpus: $(FUZZED)

FUZZ_TARGETS := record suite options
FUZZ_CHANGE_record := -DFUZZ_CHANGE=fuzz_record_change
define FUZZ_RULES
$(BUILD)/fuzz_$(1): bench/tests/fuzz/libfuzzer.c $(FUZZED) $(LIBRARIES)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(COMMON) -DFUZZ_TARGET=fuzz_$(1) $(FUZZ_CHANGE_$(1)) -fsanitize=fuzzer $$^ $$(LIBS) -o $$@
endef
$(foreach target,$(FUZZ_TARGETS),$(eval $(call FUZZ_RULES,$(target))))

# Each for FUZZ_SECONDS, from what is kept; what is found on the way stays in build/fuzz, and what breaks something is named crash-… there.
FUZZ_SECONDS ?= 60
.PHONY: fuzz fuzz-programs $(FUZZ_TARGETS:%=fuzz-%)
fuzz-programs: $(FUZZ_TARGETS:%=$(BUILD)/fuzz_%)
fuzz:
	$(Q)$(MAKE) --no-print-directory $(JOBS:%=-j%) BUILD=build/fuzz CC=clang OPTIMIZE=-O1 PEERS=0 LOOPS=null \
		SANITIZE=address,undefined,float-cast-overflow,fuzzer-no-link fuzz-programs
	$(Q)for target in $(FUZZ_TARGETS); do $(MAKE) --no-print-directory fuzz-$$target || exit 1; done
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%:
	$(Q)mkdir -p build/fuzz/found/$*
	$(Q)build/fuzz/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=10 -rss_limit_mb=1024 -artifact_prefix=build/fuzz/ \
		-print_final_stats=1 build/fuzz/found/$* bench/tests/fuzz/corpus/$*

.PHONY: test test-programs
test-programs: $(TESTS)

# Built by as many compilers as there are CPUs; run three at a time, for some sleep most of their time; each prints what it has to say when it is
# done. Nothing in them goes by how long something takes. Those that wait most come first.
RUNS := $(patsubst %,run-%,$(SHELL_TESTS) $(TESTS))
.PHONY: $(RUNS)
$(RUNS): run-%:
	@echo "== $*"; case $* in *.sh) BUILD=$(BUILD) sh $*;; *) $(RUN_WITH) $*;; esac || { echo "failed: $*"; exit 1; }

test:
	$(Q)$(MAKE) --no-print-directory $(JOBS:%=-j%) $(TESTS) $(if $(SHELL_TESTS),$(BUILD)/twopoint $(BUILD)/twopoint-faults)
	$(Q)$(MAKE) --no-print-directory $(if $(JOBS),-j3) -k -Otarget $(RUNS) || { echo "some tests failed: look for 'failed:'" >&2; exit 1; }
	$(Q)echo "all of $(words $(RUNS)) tests passed"

.PHONY: error-rates
error-rates: $(BUILD)/tests/results/test_error_rates
	TWOPOINT_ERROR_RATES=20 $<

.PHONY: interrupts
interrupts: $(BUILD)/twopoint
	TWOPOINT_INTERRUPTS=100 BUILD=$(BUILD) sh bench/tests/test_interrupt.sh

.PHONY: stress
stress: $(BUILD)/tests/queues/test_stress $(BUILD)/tests/queues/test_histories
	for test in $^; do TWOPOINT_STRESS=20 $$test || exit 1; done

# ---- measuring ----

.PHONY: bench
bench: bench-default

# The figures are drawn even where a trial was invalid; the run's status is the command's.
bench-%:
	$(Q)$(MAKE) --no-print-directory $(JOBS:%=-j%) $(BUILD)/twopoint
	$(Q)mkdir -p results/runs plots/out
	$(Q)name="$$(date -u +%Y%m%dT%H%M%SZ)-$$(uname -n)-$*"; status=0; \
	$(BUILD)/twopoint run $* --out "results/runs/$$name.jsonl" || status=$$?; \
	if [ -s "results/runs/$$name.jsonl" ]; then \
		$(BUILD)/twopoint plot "results/runs/$$name.jsonl" --term png --out "plots/out/$$name" || [ $$status != 0 ] || status=$$?; \
	fi; exit $$status

# ---- the rest ----

.PHONY: plots
plots: $(BUILD)/twopoint
	$(Q)last="$$(ls results/runs/*.jsonl 2>/dev/null | tail -n 1)"; [ -n "$$last" ] || { echo "no record in results/runs: make bench makes one" >&2; exit 3; }; \
	$(BUILD)/twopoint plot "$$last" --term png --out "plots/out/$$(basename "$$last" .jsonl)"

.PHONY: report
report: $(BUILD)/twopoint
	$(Q)last="$$(ls results/runs/*.jsonl 2>/dev/null | tail -n 1)"; [ -n "$$last" ] || { echo "no record in results/runs: make bench makes one" >&2; exit 3; }; \
	mkdir -p plots/out; page="plots/out/$$(basename "$$last" .jsonl).html"; rm -f "$$page"; $(BUILD)/twopoint report "$$last" --out "$$page"

.PHONY: aa
aa: $(BUILD)/twopoint
	$(Q)$(BUILD)/twopoint aa default

.PHONY: doctor
doctor: $(BUILD)/twopoint
	$(Q)$(BUILD)/twopoint doctor

.PHONY: compare
compare: $(BUILD)/twopoint
	$(Q)[ -n "$(OLD)" ] && [ -n "$(NEW)" ] || { echo "make compare OLD=record NEW=record" >&2; exit 2; }
	$(Q)$(BUILD)/twopoint compare "$(OLD)" "$(NEW)"

# The steps share the CPUs: while one waits for its tests, others compile. There is one job more than CPUs, since tests wait a lot. Each step
# shows what it has to say when it is done; the longest come first. The one that measures as users do has the machine to itself; a
# quick one comes last, so that the log ends with what cmocka says.
# One step has a few peers; the others compile none of those that are installed.
CI_STEPS := tsan asan arm64 clang check models peers library
.PHONY: ci $(CI_STEPS:%=ci-%) ci-smoke ci-last
ci:
	$(Q)$(MAKE) --no-print-directory PEERS=0 $(JOBS:%=-j%) all
	$(Q)$(MAKE) --no-print-directory PEERS=0 ci-smoke
	$(Q)$(MAKE) --no-print-directory PEERS=0 $(if $(JOBS),-j$$(($(JOBS) + 1))) -Orecurse JOBS= $(CI_STEPS:%=ci-%)
	$(Q)$(MAKE) --no-print-directory PEERS=0 ci-last
	$(Q)echo "all $(words $(CI_STEPS) smoke last) steps of CI passed"

$(CI_STEPS:%=ci-%) ci-smoke ci-last: ci-%:
	$(Q)+sh .ci/checks $*

.PHONY: install
install: $(BUILD)/twopoint $(BUILD)/libtwopoint.a $(INCLUDE)/plugin.h
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7 $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include/twopoint
	install $(BUILD)/twopoint $(DESTDIR)$(PREFIX)/bin/
	install -m 644 bench/twopoint.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 queues/twopoint-queue.7 $(DESTDIR)$(PREFIX)/share/man/man7/
	$(RUN_WITH) $(BUILD)/twopoint completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/twopoint
	chmod 644 $(DESTDIR)$(PREFIX)/share/bash-completion/completions/twopoint
	install -m 644 $(BUILD)/libtwopoint.a $(DESTDIR)$(PREFIX)/lib/
	sed 's/@VERSION@/$(VERSION)/' queues/twopoint.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/twopoint.pc
	install -m 644 $(patsubst %,$(INCLUDE)/%,$(notdir $(INCLUDED)) plugin_flags.h) $(DESTDIR)$(PREFIX)/include/twopoint/

.PHONY: clean
clean:
	rm -rf $(BUILD)

.PHONY: help
help:
	@echo "make              build $(BUILD)/twopoint (installs what is missing: make deps)"
	@echo "make bench        measure the default suite here: table, record in results/runs, figures in plots/out"
	@echo "make bench-NAME   another suite:"
	@sed -ns '1s/^; \([a-z-]*\): /\1\t/p' $(SUITES) | while IFS="$$(printf '\t')" read -r name question; do printf '  %-20s %s\n' "$$name" "$$question"; done
	@echo "make plots        draw the last record's figures again"
	@echo "make report       the last record as one HTML page, in plots/out"
	@echo "make aa           this machine's noise floor, for comparing"
	@echo "make doctor       what here disturbs a measurement"
	@echo "make compare OLD=record NEW=record   is anything slower, or faster?"
	@echo "make test         all tests, some minutes"
	@echo "make error-rates  how often comparisons err, by simulation: the long form"
	@echo "make stress       the queues' stress and histories, long form"
	@echo "make fuzz         records, suites and command lines of any kind, FUZZ_SECONDS=$(FUZZ_SECONDS) each, under sanitizers (clang)"
	@echo "make interrupts   SIGINT at 100 moments drawn at random"
	@echo "make deps-peers   install the queues of others that ours are measured beside: make bench-peers"
	@echo "make ci           what CI runs: both compilers, sanitizers, models, a smoke run, aarch64 (make deps-ci)"
	@echo "make install      into PREFIX=$(PREFIX)"
	@echo "make clean"
	@echo
	@echo "V=1 shows the commands; CC=clang, BUILD=folder, SANITIZE=thread, ARCH=… build otherwise."

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
