# Tokentape. Two commands for a new machine: `make demo`, then `make test`.
CC ?= cc
SAN ?=
BUILD ?= build/$(notdir $(CC))$(if $(SAN),-$(subst $(comma),-,$(SAN)))
comma := ,
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
DESTDIR ?=
VERSION := 0.1.0

PKG_CONFIG ?= pkg-config
# Debian calls msgpack-c "msgpack", newer releases "msgpack-c".
MSGPACK = $(shell $(PKG_CONFIG) --exists msgpack-c && echo msgpack-c || echo msgpack)
pkg_cflags = $(shell $(PKG_CONFIG) --cflags $(1))
pkg_libs = $(shell $(PKG_CONFIG) --libs $(1))

# A sanitizer's build is for what it finds, not for speed: -O1 takes half the time to compile.
OPT ?= $(if $(SAN),-O1,-O2)
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(CI),-Werror)
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DTOKENTAPE_VERSION='"$(VERSION)"' $(WARN) -ffp-contract=off $(OPT) -g \
  $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) $(CFLAGS)
LDFLAGS_ALL = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

FORMAT_SRC = $(wildcard format/*.c)
RECORDER_SRC = $(filter-out recorder/main.c,$(wildcard recorder/*.c))
ANALYZER_SRC = $(filter-out analyzer/main.c,$(wildcard analyzer/*.c))
FORMAT_LIB = $(BUILD)/libformat.a
RECORDER_LIB = $(BUILD)/librecorder.a
ANALYZER_LIB = $(BUILD)/libanalyzer.a
FORMAT_LIBS = $(call pkg_libs,$(MSGPACK) libzstd libcrypto)
RECORDER_LIBS = $(FORMAT_LIBS) $(call pkg_libs,libcurl libcjson) -lpthread
ANALYZER_LIBS = $(FORMAT_LIBS) -lm

# Quiet unless V=1: a line a file.
Q = $(if $(V),,@)
say = $(if $(V),@:,@echo "  $(1) $@")

objs = $(patsubst %.c,$(BUILD)/%.o,$(1))

all: $(BUILD)/tokentape-record $(BUILD)/tokentape-analyze
# Where libcurl does not exist.
analyzer: $(BUILD)/tokentape-analyze

# What the compiler is called with: an object that was made otherwise is made anew, or half a program has 64-bit
# offsets and half has not.
$(BUILD)/flags: export TOLD = $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$TOLD" | cmp -s - $@ || printf '%s\n' "$$TOLD" > $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc)
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

# A file as a string of that name.
embed = $(Q){ printf 'extern const char $(1)[];\nconst char $(1)[] =\n'; \
  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^.*$$/"&\\n"/' $<; printf ';\n'; } > $@

# The record table is embedded in each tape as its first record.
$(BUILD)/format/record_table.c: format/RECORDS.md
	@mkdir -p $(@D)
	$(call embed,record_table_text)

$(BUILD)/format/record_table.o: $(BUILD)/format/record_table.c $(BUILD)/flags
	$(call say,cc)
	$(Q)$(CC) $(CFLAGS_ALL) -c $< -o $@

# Policies are part of the program.
POLICIES = $(patsubst analyzer/policies/%.json,%,$(wildcard analyzer/policies/*.json))
$(BUILD)/analyzer/policy_%_text.c: analyzer/policies/%.json
	@mkdir -p $(@D)
	$(call embed,policy_$(subst -,_,$*)_text)

$(BUILD)/analyzer/policy_%_text.o: $(BUILD)/analyzer/policy_%_text.c
	$(call say,cc)
	$(Q)$(CC) $(CFLAGS_ALL) -c $< -o $@

FORMAT_OBJ = $(call objs,$(FORMAT_SRC)) $(BUILD)/format/record_table.o
RECORDER_OBJ = $(call objs,$(RECORDER_SRC))
ANALYZER_OBJ = $(call objs,$(ANALYZER_SRC)) $(POLICIES:%=$(BUILD)/analyzer/policy_%_text.o)
# A library that holds what has no source any more is made anew.
if_stale = $(if $(filter-out $(notdir $(2)),$(shell $(AR) t $(1) 2>/dev/null)),FORCE)
$(FORMAT_LIB): $(FORMAT_OBJ) $(call if_stale,$(FORMAT_LIB),$(FORMAT_OBJ))
$(RECORDER_LIB): $(RECORDER_OBJ) $(call if_stale,$(RECORDER_LIB),$(RECORDER_OBJ))
$(ANALYZER_LIB): $(ANALYZER_OBJ) $(call if_stale,$(ANALYZER_LIB),$(ANALYZER_OBJ))
$(FORMAT_LIB) $(RECORDER_LIB) $(ANALYZER_LIB):
	$(call say,ar)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/tokentape-record: $(BUILD)/recorder/main.o $(RECORDER_LIB) $(FORMAT_LIB)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $^ $(RECORDER_LIBS) -o $@
$(BUILD)/tokentape-analyze: $(BUILD)/analyzer/main.o $(ANALYZER_LIB) $(FORMAT_LIB)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $^ $(ANALYZER_LIBS) -o $@

# Compiled and linked in one step, so that it says itself what it includes.
TEST_DEPS = -MMD -MP -MF $@.d -MT $@
# Under the address sanitizer the reader's large blocks are kept, as that file says: else it is the tests' time.
LARGE_BLOCKS = $(if $(findstring address,$(SAN)),$(BUILD)/tests/fuzz/large_blocks.o)
LARGE_WRAP = $(if $(LARGE_BLOCKS),-Wl$(comma)--wrap=malloc$(comma)--wrap=free)
# A test links what its name says: test_format_*, test_recorder_*, test_analyzer_*.
$(BUILD)/tests/test_format_%: tests/test_format_%.c $(BUILD)/flags $(LARGE_BLOCKS) $(FORMAT_LIB)
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(TEST_DEPS) $(LDFLAGS_ALL) $(LARGE_WRAP) $< $(filter %.o %.a,$^) $(FORMAT_LIBS) $(call pkg_libs,cmocka) -o $@
$(BUILD)/tests/test_recorder_%: tests/test_recorder_%.c $(BUILD)/flags $(RECORDER_LIB) $(FORMAT_LIB)
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(TEST_DEPS) $(LDFLAGS_ALL) $< $(filter %.a,$^) $(RECORDER_LIBS) $(call pkg_libs,cmocka) -o $@
$(BUILD)/tests/test_analyzer_%: tests/test_analyzer_%.c $(BUILD)/flags $(LARGE_BLOCKS) $(ANALYZER_LIB) $(FORMAT_LIB)
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(TEST_DEPS) $(LDFLAGS_ALL) $(LARGE_WRAP) $< $(filter %.o %.a,$^) $(ANALYZER_LIBS) $(call pkg_libs,cmocka) -o $@
$(BUILD)/tests/mock_server: $(wildcard tests/mock_server/*.[ch])
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(filter %.c,$^) -o $@

# Preloaded into a recorder by tests that need a faulty disk: no sanitizer of its own.
$(BUILD)/tests/fault_io.so: tests/fault_io.c
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 -g -fPIC -shared $< -o $@

FUZZ_TARGETS = $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
UNIT_TESTS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))

# What is missing is installed before make looks for libraries: hence the second make.
demo:
	@bash tests/deps.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/mock_server
	@bash tests/demo.sh $(BUILD)

test:
	@bash tests/deps.sh test
	@$(MAKE) --no-print-directory -j$(JOBS) tests
	@bash tests/run.sh $(BUILD) $(TESTS)

# Everything `make test` runs, without running it: of the programs those that TESTS asks for.
ALL_TESTS = $(if $(TESTS),$(filter all,$(TESTS)),all)
USED_TESTS = $(if $(ALL_TESTS)$(filter unit,$(TESTS)),$(UNIT_TESTS),$(filter $(TESTS:%=$(BUILD)/tests/%),$(UNIT_TESTS)))
USED_FUZZ = $(if $(ALL_TESTS)$(filter e2e test_fuzz_replay.sh,$(TESTS)),$(FUZZ_TARGETS))
tests: all $(USED_TESTS) $(patsubst %,$(BUILD)/tests/fuzz/%,$(USED_FUZZ)) $(BUILD)/tests/mock_server $(BUILD)/tests/fault_io.so

# Fuzz targets under libFuzzer with the address and undefined sanitizers, FUZZ_SECONDS each;
# `make test` replays the corpus with the compiler at hand.
FUZZ_SECONDS ?= 60
FUZZ_PARTS = $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/fuzz/fuzz_%.c tests/fuzz/replay.c tests/fuzz/large_blocks.c,$(wildcard tests/fuzz/*.c))) $(LARGE_BLOCKS)
$(BUILD)/tests/fuzz/%-libfuzzer: $(BUILD)/tests/fuzz/%.o $(FUZZ_PARTS) $(ANALYZER_LIB) $(FORMAT_LIB)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LARGE_WRAP) -fsanitize=fuzzer $^ $(ANALYZER_LIBS) -o $@
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/replay.o $(FUZZ_PARTS) $(ANALYZER_LIB) $(FORMAT_LIB)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LARGE_WRAP) $^ $(ANALYZER_LIBS) -o $@

fuzz:
	@bash tests/deps.sh build
	@command -v clang >/dev/null || { echo "fuzz: libFuzzer comes with clang: install clang and run this again" >&2; exit 1; }
	@$(MAKE) --no-print-directory CC=clang BUILD=build/fuzz SAN=address,undefined,float-cast-overflow OPT=-O1 CFLAGS="$(CFLAGS) -fsanitize=fuzzer-no-link" \
	  $(patsubst %,build/fuzz/tests/fuzz/%-libfuzzer,$(FUZZ_TARGETS))
	@! command -v gcc >/dev/null || $(MAKE) --no-print-directory CC=gcc BUILD=build/fuzz-coverage SAN= OPT=-O0 CFLAGS="$(CFLAGS) --coverage" \
	  LDFLAGS=--coverage $(patsubst %,build/fuzz-coverage/tests/fuzz/%,$(FUZZ_TARGETS))
	@bash tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# The recorder against a bare libcurl loop and an asyncio client (tests/bench/run.py says more).
BENCH_TOOLS = $(BUILD)/tests/bench/bare_loop $(BUILD)/tests/bench/tape_errors $(BUILD)/tests/bench/spend
$(BUILD)/tests/bench/bare_loop: tests/bench/bare_loop.c tests/bench/errors.c tests/bench/errors.h
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(filter %.c,$^) $(call pkg_libs,libcurl) -o $@
$(BUILD)/tests/bench/tape_errors: tests/bench/tape_errors.c tests/bench/errors.c tests/bench/errors.h $(FORMAT_LIB)
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(filter-out %.h,$^) $(FORMAT_LIBS) -o $@
$(BUILD)/tests/bench/spend: tests/bench/spend.c
	@mkdir -p $(@D)
	$(call say,ld)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $< -o $@

bench:
	@bash tests/deps.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/mock_server $(BENCH_TOOLS)
	@$(or $(PYTHON),/usr/bin/python3) tests/bench/run.py $(BUILD) build/bench/bench.json

# Instructions per event, counted by callgrind.
bench-instructions:
	@bash tests/deps.sh build
	@command -v valgrind >/dev/null || { echo "bench-instructions: callgrind comes with valgrind: install it and run this again" >&2; exit 1; }
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/mock_server
	@$(or $(PYTHON),/usr/bin/python3) tests/bench/instructions.py $(BUILD)

# format/ and the analyzer built for other architectures and run under qemu; their libraries go into build/sysroot.
cross:
	@bash tests/deps.sh test
	@$(MAKE) --no-print-directory -j$(JOBS) analyzer
	@for arch in $(or $(CROSS),arm64 s390x i386); do timeout 300 bash tests/sysroot.sh $$arch build/sysroot/$$arch; done; true
	@TEST_LIMIT_S=900 bash tests/run.sh $(BUILD) cross.sh

lint:
	@bash tests/lint.sh

# Line coverage of all tests, by gcov.
coverage:
	@bash tests/deps.sh test
	@$(MAKE) --no-print-directory BUILD=build/coverage OPT=-O0 CFLAGS="$(CFLAGS) --coverage" LDFLAGS="$(LDFLAGS) --coverage" tests
	-@bash tests/run.sh build/coverage $(TESTS)
	@bash tests/coverage.sh build/coverage

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/doc/tokentape
	install -m 755 $(BUILD)/tokentape-record $(BUILD)/tokentape-analyze $(DESTDIR)$(PREFIX)/bin
	install -m 644 README.md format/FORMAT.md format/RECORDS.md analyzer/REASONS.md $(DESTDIR)$(PREFIX)/share/doc/tokentape

clean:
	rm -rf build

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/tests/fuzz/*.d)
FORCE:
.PHONY: FORCE all analyzer demo test tests fuzz bench bench-instructions cross lint coverage install clean
.SECONDARY:
