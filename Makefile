# tamiz: one binary, one non-recursive build.
#
# Objects, the binary, generated sources and test programs all go below $(BUILD), which is build/ or,
# with SAN=... or COVERAGE=1, a folder of its own next to the plain objects. `make help` lists the
# targets.

SAN     ?=
COVERAGE ?=
V       ?=
TARGET  ?=
PACK    ?=
SECONDS ?= 60
SIZE    ?=
TURNS   ?=
MEMORY  ?=
FILE    ?=
TEXTS   ?=
KILLS   ?= 1000
N       ?= 50000
SEED    ?= 1
SEEDS   ?= 1000
CLUSTERS ?= 1
WORLD   ?= cluster hosts
RUNS    ?= 200
FRAMES  ?= 1000000
LOG     ?=
LOAD    ?=
TEST    ?=
PREFIX  ?= /usr/local
DESTDIR ?=
GOALS   ?=
MIRROR  ?=
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
CLANG   ?= clang
PYTHON  ?= python3

comma := ,
BUILD ?= build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))$(if $(COVERAGE),/coverage)

ifeq ($(filter -j%,$(MAKEFLAGS))$(filter-out 0,$(MAKELEVEL)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# -O3 without -march: the binary runs on any x86-64, and chooses its SIMD paths when it starts.
OPTIMIZE ?= -O3 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Werror=implicit-function-declaration
# Hidden symbols: libpg_query exports PostgreSQL's own names, and a function of ours that happens to be
# called list_copy would otherwise take the place of its.
COMMON   := -std=c17 -fvisibility=hidden -fno-strict-aliasing -ffp-contract=off -pthread
# Counters that live in a mapped file from the start: what a process did before a SIGKILL is in it.
ifneq ($(COVERAGE),)
CC       := $(CLANG)
OPTIMIZE := -O1 -g
WARNINGS :=
COMMON   += -fprofile-instr-generate -fcoverage-mapping
CPPFLAGS += -mllvm -runtime-counter-relocation
endif
CPPFLAGS += -D_GNU_SOURCE -Isrc
CFLAGS   += $(COMMON) $(OPTIMIZE) $(WARNINGS)
# --as-needed: what src/base/library.h loads when it is needed is not loaded at every start.
LDFLAGS  += -Wl,--as-needed
LDLIBS   += -lpg_query -ledit -linih -lpcre2-8 -lzip -lisal -lzstd -lbz2 -llzma -lz -lmpfr -lgmp -lm -pthread
# What makes a bug that no test has found harder to exploit: calls whose bounds the compiler knows are
# checked, a smashed stack is noticed, code and stack are where nobody can foresee, and nothing can write
# the table of imported functions. The benchmark does not see it (coffee of 1.1 GB, the best of 31 turns:
# 0.545 s of processor time with it, 0.547 s without). Sanitizers check more, and do not go with it.
ifeq ($(SAN)$(filter -O0,$(OPTIMIZE)),)
CFLAGS   += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
# The folder of the tree is in no binary: the same sources give the same bytes.
CFLAGS   += -ffile-prefix-map=$(CURDIR)=.
LDFLAGS  += -pie -Wl,-z,relro,-z,now
endif
ifneq ($(SAN),)
CFLAGS   += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS  += -fsanitize=$(SAN)
endif

SOURCES    := $(sort $(wildcard src/*/*.c src/*/*/*.c))
PACK_FILES := $(sort $(wildcard packs/*/*.sql packs/*/queries/*.sql))
PACKS_C    := $(BUILD)/generated/packs.c
WEB_FILES  := $(sort $(wildcard web/*))
WEB_C      := $(BUILD)/generated/web.c
LEXICON    := $(sort $(wildcard data/sentiment/*.tsv))
LEXICON_C  := $(BUILD)/generated/lexicon.c
OBJECTS    := $(SOURCES:%.c=$(BUILD)/%.o) $(PACKS_C:.c=.o) $(LEXICON_C:.c=.o) $(WEB_C:.c=.o)
MAIN       := $(BUILD)/src/cli/main.o
LIBRARY    := $(BUILD)/libtamiz.a
BINARY     := $(BUILD)/tamiz

UNIT_SOURCES := $(sort $(shell find tests/unit -name 'test_*.c'))
UNIT_TESTS   := $(UNIT_SOURCES:%.c=$(BUILD)/%)

SIM_MAIN    := $(BUILD)/tests/sim/main.o
SIM_SOURCES := $(filter-out tests/sim/main.c,$(sort $(wildcard tests/sim/*.c tests/sim/*/*.c)))
SIM         := $(BUILD)/tests/sim/sim
SIM_LIBRARY := $(BUILD)/tests/sim/libsim.a
# What the linker hands over to simulated machines (tests/sim/hosts): calls of the system, and the parts
# of the product that deal with a real one.
comma := ,
SIM_CALLS   := socket bind listen accept4 connect getsockopt setsockopt send sendmsg recv shutdown close \
               dup pipe2 fcntl splice epoll_create1 epoll_ctl epoll_wait clock_gettime
SIM_PARTS   := random_id log_write log_event node_lock_take health_open health_close health_beat \
               health_set_state health_set_broker health_publish driver_new driver_free driver_restart \
               driver_lives fd_passing_listen fd_passing_free fd_passing_give
SIM_WRAP    := $(addprefix -Wl$(comma)--wrap=,$(SIM_CALLS) $(SIM_PARTS))

FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BUILD   := build/fuzz
FUZZ_TESTS   := $(FUZZ_SOURCES:tests/fuzz/%.c=$(FUZZ_BUILD)/%)
FUZZ_OBJECTS := $(patsubst %.c,$(FUZZ_BUILD)/%.o,$(filter-out src/cli/main.c,$(SOURCES))) \
                $(FUZZ_BUILD)/generated/lexicon.o
FUZZ_CFLAGS  := $(COMMON) -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all

FORMATTED := $(sort $(shell find src tests bench -name '*.[ch]'))

ifeq ($(V),)
Q := @
say = @echo "  $(1)	$(2)"
endif

.PHONY: all deps packages bare demo test coverage coverage-report differential sim sim-mutants pictures \
        bench bench-sentiment lint format fuzz install uninstall clean help deb dist rpm image package-test bench-codec bench-journal \
        bench-loop bench-transport bench-unpack bench-memory bench-filter journal-kill cluster-chaos cluster-intruders besieged cluster-broker-deaths cluster-adversary cluster-poisoned-chaos cluster-heal cluster-load cluster-random bench-cluster \
        broker-cluster hosts
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BINARY)

help:
	@echo "make            build $(BINARY)"
	@echo "make demo       install what is missing, build, generate 20 MB of data, run a pack on it"
	@echo "make test       install what is missing, build, run every quick test and the linters"
	@echo "                [LOAD=4] on a machine that is busy with other work: four that spin, one that writes"
	@echo "make pictures   take those of docs/pictures anew, with the tests of the pages"
	@echo "make differential   ask DuckDB and tamiz the same random queries [N=50000] [SEED=1] [AGAINST=postgres]"
	@echo "make bench      measure against other engines, which it downloads into build/peers"
	@echo "                [PACK=coffee|movies,books|trade|h2o|web] [SIZE=2G] [TURNS=3] [MEMORY=1]"
	@echo "make bench-memory   questions with a tenth of the memory they like, beside DuckDB [PACK=trade,h2o] [SIZE=1G]"
	@echo "make bench-filter   a filter from CSV to CSV, beside DuckDB [SIZE=4G] [TURNS=3]"
	@echo "make bench-sentiment"
	@echo "                measure how fast sentiment() reads [TEXTS=FILE, a text a line]"
	@echo "make sim        the cluster in one process, under faults [SEEDS=1000] [SEED=1] [LOG=1]"
	@echo "                [WORLD=cluster or hosts]"
	@echo "make sim-mutants   shows that the simulator finds bugs that were put in on purpose"
	@echo "make cluster-chaos   jobs on a real cluster, something killed in each [RUNS=200] [SEED=1]"
	@echo "make cluster-broker-deaths   fresh clusters whose broker dies, in most with its data [ROUNDS=60] [SEED=1] [CLUSTERS=3, at a time]"
	@echo "make cluster-adversary   damaged files, poison jobs, little memory and full disks beside honest jobs [ROUNDS=500] [SEED=1] [CLUSTERS=3]"
	@echo "make cluster-poisoned-chaos   tamiz chaos with clients whose jobs harm their nodes [SECONDS=600] [SEED=1] [CLUSTERS=1]"
	@echo "make cluster-intruders   strangers at every port of a cluster with sanitizers, beside honest jobs [FRAMES=1000000] [SEED=1] [TURNS=9]"
	@echo "make cluster-heal   how fast a real cluster heals: kills and stops of every role [KILLS=100]"
	@echo "make cluster-random   random queries on a real cluster and embedded [N=100] [SEED=1]"
	@echo "make cluster-load   many clients, a small job beside a huge one, crowds of connections [SIZE=2G]"
	@echo "make hosts      as root: a cluster on hosts that are network namespaces, every link cut [TEST=name]"
	@echo "make bench-cluster   measure a cluster on this machine beside embedded tamiz and its peers"
	@echo "                [SIZE=2G] [TURNS=3] [ENGINES=duckdb,polars,chdb,dask]"
	@echo "make bench-latency   how long a tiny job takes beside large ones, and what cancel gives back"
	@echo "                [SIZE=2G] [N=60, tiny jobs per row]"
	@echo "make bench-unpack"
	@echo "                measure how fast gzip files are unpacked, by us and by others [FILE=x.csv.gz]"
	@echo "make bench-codec"
	@echo "                measure how fast and how small batches are encoded"
	@echo "make bench-journal"
	@echo "                measure the journal beside plain writes and reads [SIZE=512, megabytes]"
	@echo "make bench-loop   measure the event loop beside libev and libuv [TURNS=5]"
	@echo "make bench-transport"
	@echo "                measure RabbitMQ through the transport [SIZE=300, megabytes]"
	@echo "make broker-cluster   three real brokers, each of them killed under a job"
	@echo "make journal-kill   kill processes that write a journal [KILLS=1000] [SEED=1]"
	@echo "make coverage   which lines of src/ the tests run through: build/coverage/html, a line at the end"
	@echo "make lint       formatting, layering, clang-tidy, banned calls, sizes, shellcheck"
	@echo "make format     clang-format all sources in place"
	@echo "make fuzz       fuzz every target [TARGET=csv] [SECONDS=60]"
	@echo "make deps       install the system packages that the above need; they do it themselves too,"
	@echo "                before they compile (PACKAGES=no: never)"
	@echo "make bare       as root: make demo and make test in a fresh minimal system, as root and as a user"
	@echo "                [GOALS=\"demo test\"] [MIRROR=URI, instead of apt's own]"
	@echo "make install    into PREFIX=$(PREFIX); make uninstall removes it again"
	@echo "make deb        a Debian package, the same bytes from the same tree; make rpm, make dist, make image:"
	@echo "                an rpm, the source as an archive, an image for containers; all below $(BUILD)/packages"
	@echo "make package-test   as root: install the Debian package in a fresh minimal system and use it"
	@echo "make clean      remove build/"
	@echo "SAN=address,undefined or SAN=thread builds and tests with sanitizers; V=1 shows commands"

# --- system packages -----------------------------------------------------------------------------

# Every rule that compiles or generates waits for this one, so that the packages are there before the
# first of them starts, whatever the goal. It takes milliseconds when nothing is missing. Goals that
# need no more than to compile are spared the rest.
BUILD_GOALS := all demo install sim sim-mutants bench-codec bench-journal bench-sentiment $(BINARY)
PACKAGING_GOALS := deb dist rpm package-test
PACKAGES ?= $(if $(COVERAGE),coverage,$(if $(filter $(PACKAGING_GOALS),$(MAKECMDGOALS)),packages,$(if $(filter bench-cluster,$(MAKECMDGOALS)),bench,$(if \
              $(filter-out $(BUILD_GOALS) image,$(or $(MAKECMDGOALS),all)),test,build))))

packages:
	@$(if $(filter no,$(PACKAGES)),:,tools/deps $(PACKAGES))

deps: packages
	@echo "== packages: nothing is missing"

bare:
	@exec env MIRROR='$(MIRROR)' tools/bare $(GOALS)

# --- the binary ----------------------------------------------------------------------------------

$(BINARY): $(MAIN) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# A thin archive: a test links only the objects that it uses.
$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS))
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsT $@ $^

# The name under which a library is loaded when it is needed (src/base/library.h), as its header goes with it.
soname = $(or $(shell objdump -p "$$($(CC) -print-file-name=lib$(1).so)" 2>/dev/null | \
	sed -n 's/ *SONAME *//p'),lib$(1).so)
%/src/input/archive.o: CPPFLAGS += -DLIBRARY_SONAME='"$(call soname,zip)"'
%/src/net/http_server.o: CPPFLAGS += -DLIBRARY_SONAME='"$(call soname,microhttpd)"'
%/src/net/tls.o: CPPFLAGS += -DLIBRARY_SONAME='"$(call soname,ssl)"'
%/src/transport/rabbit.o: CPPFLAGS += -DLIBRARY_SONAME='"$(call soname,rabbitmq)"'

$(BUILD)/%.o: %.c Makefile | packages
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/generated/%.o: $(BUILD)/generated/%.c Makefile | packages
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(PACKS_C): tools/embed_packs.py $(PACK_FILES) | packages
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D) && $(PYTHON) tools/embed_packs.py packs $@

$(WEB_C): tools/embed_web.py $(WEB_FILES) | packages
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D) && $(PYTHON) tools/embed_web.py web $@

# For every build, the fuzzers' too.
%/generated/lexicon.c: tools/embed_lexicon.py $(LEXICON) | packages
	$(call say,EMBED,$@)
	$(Q)mkdir -p $(@D) && $(PYTHON) tools/embed_lexicon.py data/sentiment $@

# --- demo ----------------------------------------------------------------------------------------

demo: $(BINARY)
	@echo "== $(BINARY) gen coffee --out $(BUILD)/demo --size 20M"
	@$(BINARY) gen coffee --out $(BUILD)/demo --size 20M
	@echo "== $(BINARY) run coffee --data $(BUILD)/demo"
	@$(BINARY) run coffee --data $(BUILD)/demo

# --- tests ---------------------------------------------------------------------------------------

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

# The simulated world, for the tests of it and in it.
$(BUILD)/tests/%.o: CPPFLAGS += -Itests

$(SIM_LIBRARY): $(SIM_SOURCES:%.c=$(BUILD)/%.o)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsT $@ $^

$(BUILD)/tests/unit/sim/%: $(BUILD)/tests/unit/sim/%.o $(SIM_LIBRARY) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

$(SIM): $(SIM_MAIN) $(SIM_LIBRARY) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SIM_WRAP) -o $@ $^ $(LDLIBS)

sim: $(SIM)
	@for world in $(WORLD); do \
		$(SIM) --world $$world --seeds $(SEEDS) $(if $(LOG),--log --jobs 1) \
			$(if $(filter command line environment,$(origin SEED)),--seed $(SEED)) || exit; \
	done

# Objects of a mutant stand before the archives, so that the linker takes no others in their place.
sim-mutants: $(SIM)
	@BUILD=$(BUILD) CC='$(CC)' MUTANT_CFLAGS='$(CPPFLAGS) $(CFLAGS)' \
		MUTANT_LINK='$(SIM_MAIN) $(SIM_LIBRARY) $(LIBRARY) $(LDFLAGS) $(SIM_WRAP) $(LDLIBS)' \
		tools/sim-mutants

# The fuzz targets have sanitizers of their own: a SAN build need not run their seeds again. Without
# DuckDB (no network, say) the tests that ask it are skipped, and say so.
test: packages $(BINARY) $(UNIT_TESTS) $(SIM) $(BUILD)/tests/cluster/poison.so $(if $(SAN),,$(FUZZ_TESTS))
	@bench/install-peers build/duckdb @duckdb/node-api || echo "== DuckDB could not be installed"
	@bench/install-peers --from tests/browser build/browser || echo "== what drives a browser could not be installed"
	@bench/install-peers --from tests/schemas build/schemas || echo "== the schemas of Kubernetes could not be installed"
	@BUILD=$(BUILD) FUZZ_BUILD=$(if $(SAN),,$(FUZZ_BUILD)) SAN=$(SAN) \
		$(PYTHON) tests/run $(if $(LOAD),--load $(LOAD))

differential: packages $(BINARY)
	@$(if $(filter postgres,$(AGAINST)),,bench/install-peers build/duckdb @duckdb/node-api)
	@BUILD=$(BUILD) $(PYTHON) tests/differential/run --count $(N) --seed $(SEED) $(if $(AGAINST),--against $(AGAINST))

bench: packages $(BINARY)
	@bench/install-peers build/peers
	@PEERS=build/peers BINARY=$(BINARY) PACK=$(PACK) SIZE=$(SIZE) TURNS=$(TURNS) MEMORY=$(MEMORY) \
		bench/run

# What the pages look like, for README and docs.
PICTURES := ui-chart console-cluster console-red console-pack console-ask-rows-1280-dark
pictures: packages $(BINARY)
	@mkdir -p $(BUILD)/pictures docs/pictures
	@BUILD=$(BUILD) PICTURES=$(abspath $(BUILD)/pictures) tests/run -j 1 browser
	@cp $(PICTURES:%=$(BUILD)/pictures/%.png) docs/pictures

cluster-chaos: packages $(BINARY)
	@BUILD=$(BUILD) tests/cluster/chaos --runs $(RUNS) \
		$(if $(filter command line environment,$(origin SEED)),--seed $(SEED))

cluster-broker-deaths: packages $(BINARY)
	@BUILD=$(BUILD) $(PYTHON) tests/cluster/broker_deaths.py $(or $(ROUNDS),60) $(SEED) --jobs $(CLUSTERS)

cluster-adversary: packages $(BINARY) $(BUILD)/tests/cluster/poison.so
	@BUILD=$(BUILD) $(PYTHON) tests/cluster/adversary.py $(or $(ROUNDS),500) $(SEED) --jobs $(CLUSTERS)

cluster-poisoned-chaos: packages $(BINARY) $(BUILD)/tests/cluster/poison.so
	@BUILD=$(BUILD) $(PYTHON) tests/cluster/poisoned_chaos.py $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS),600) $(SEED) --jobs $(CLUSTERS)

# Sanitizers look on while strangers come; how much slower a job is beside them the usual build tells.
cluster-intruders: packages $(BINARY)
	@$(MAKE) --no-print-directory SAN=address,undefined besieged
	@BUILD=$(BUILD) $(PYTHON) tests/cluster/intruders.py 0 $(SEED) $(or $(TURNS),9)

besieged: packages $(BINARY)
	@BUILD=$(BUILD) SAN=$(SAN) $(PYTHON) tests/cluster/intruders.py $(FRAMES) $(SEED)

cluster-heal: packages $(BINARY)
	@BUILD=$(BUILD) tests/cluster/heal $(if $(filter command line environment,$(origin KILLS)),--kills $(KILLS))

cluster-random: packages $(BINARY)
	@BUILD=$(BUILD) $(PYTHON) tests/cluster/test_random.py --seed $(SEED) \
		--count $(if $(filter command line environment,$(origin N)),$(N),100)

cluster-load: packages $(BINARY)
	@BUILD=$(BUILD) SIZE=$(SIZE) tests/cluster/load

hosts: packages $(BINARY)
	@BUILD=$(BUILD) $(PYTHON) tests/cluster/test_hosts.py $(or $(TEST),--all)

bench-cluster: packages $(BINARY)
	@bench/install-peers build/peers
	@PEERS=build/peers BINARY=$(BINARY) SIZE=$(SIZE) TURNS=$(TURNS) ENGINES=$(ENGINES) bench/cluster

bench-memory: packages $(BINARY)
	@bench/install-peers build/duckdb @duckdb/node-api
	@PEERS=build/duckdb BINARY=$(BINARY) PACK=$(PACK) SIZE=$(SIZE) bench/memory

bench-filter: packages $(BINARY)
	@bench/install-peers build/duckdb @duckdb/node-api
	@PEERS=build/duckdb BINARY=$(BINARY) SIZE=$(SIZE) TURNS=$(TURNS) bench/filter

bench-latency: packages $(BINARY)
	@BINARY=$(BINARY) bench/latency --size $(or $(SIZE),2G) --jobs $(if $(filter command line environment,$(origin N)),$(N),60)

journal-kill: $(BUILD)/tests/unit/journal/test_journal_kill
	@KILLS=$(KILLS) SEED=$(SEED) $<

$(BUILD)/tests/cluster/three_brokers: $(BUILD)/tests/cluster/three_brokers.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# Ends processes from within, for tests/cluster/test_deadly.py.
$(BUILD)/tests/cluster/poison.so: tests/cluster/poison.c Makefile | packages
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -fPIC -shared -o $@ $< -ldl

broker-cluster: packages $(BINARY) $(BUILD)/tests/unit/transport/test_rabbit_cluster $(BUILD)/tests/cluster/three_brokers
	@BROKERS=3 $(BUILD)/tests/unit/transport/test_rabbit_cluster
	@BUILD=$(BUILD) tests/cluster/quorum

$(BUILD)/bench/journal: $(BUILD)/bench/journal.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

bench-journal: $(BUILD)/bench/journal
	@$< $(BUILD)/bench-journal $(or $(SIZE),512) $(or $(TURNS),5)

# TEXTS=FILE measures the lines of a file instead of texts that are made up.
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/bench/loop: LDLIBS += -lev -luv

bench-loop: $(BUILD)/bench/loop
	@$< $(or $(TURNS),5)

bench-sentiment: $(BUILD)/bench/sentiment
	@$< 3 $(TEXTS)

bench-transport: $(BUILD)/bench/transport
	@rm -rf $(BUILD)/bench-transport
	@$< $(BUILD)/bench-transport $(or $(SIZE),300)

$(BUILD)/bench/unpack: LDLIBS += -ldeflate

bench-unpack: $(BUILD)/bench/unpack $(BINARY)
	@[ -n "$(FILE)" ] || { rm -rf $(BUILD)/bench-unpack && mkdir -p $(BUILD)/bench-unpack && \
		$(BINARY) gen coffee --out $(BUILD)/bench-unpack/coffee --size 200M --quiet && \
		cat $(BUILD)/bench-unpack/coffee/transactions/*.csv | gzip >$(BUILD)/bench-unpack/t.csv.gz; }
	@$< $(or $(FILE),$(BUILD)/bench-unpack/t.csv.gz) $(TURNS)

bench-codec: $(BUILD)/bench/codec
	@$< 2

# --- coverage ------------------------------------------------------------------------------------

coverage:
	@$(MAKE) --no-print-directory COVERAGE=1 coverage-report

# All objects in one program, so that code that no program uses counts as well.
$(BUILD)/everything: $(OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

coverage-report: packages $(BINARY) $(UNIT_TESTS) $(SIM) $(BUILD)/tests/cluster/poison.so $(BUILD)/everything
	@bench/install-peers build/duckdb @duckdb/node-api || echo "== DuckDB could not be installed"
	@BUILD=$(BUILD) $(PYTHON) tools/coverage

# --- style ---------------------------------------------------------------------------------------

lint: packages
	@tools/lint

format: packages
	clang-format -i $(FORMATTED)

# --- fuzzing -------------------------------------------------------------------------------------

$(FUZZ_BUILD)/libtamiz.a: $(FUZZ_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcsT $@ $^

$(FUZZ_BUILD)/src/%.o: src/%.c Makefile | packages
	$(call say,FUZZCC,$<)
	$(Q)mkdir -p $(@D) && $(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) \
		-fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<

$(FUZZ_BUILD)/generated/%.o: $(FUZZ_BUILD)/generated/%.c Makefile | packages
	$(call say,FUZZCC,$<)
	$(Q)$(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,address,undefined \
		-MMD -MP -c -o $@ $<

$(FUZZ_BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_BUILD)/libtamiz.a
	$(call say,FUZZLINK,$@)
	$(Q)$(CLANG) $(CPPFLAGS) -Itests $(FUZZ_CFLAGS) -fsanitize=fuzzer,address,undefined -MMD -MP \
		-MF $@.d -o $@ $< $(FUZZ_BUILD)/libtamiz.a $(LDLIBS)

fuzz: packages $(if $(TARGET),$(FUZZ_BUILD)/fuzz_$(TARGET),$(FUZZ_TESTS))
	@for program in $(filter $(FUZZ_BUILD)/fuzz_%,$^); do \
		name=$${program##*/fuzz_}; corpus=$(FUZZ_BUILD)/corpus/$$name; \
		echo "== fuzzing $$name for $(SECONDS) s, corpus $$corpus"; \
		mkdir -p $$corpus; \
		[ ! -d tests/fuzz/seeds/$$name ] || cp -R tests/fuzz/seeds/$$name/. $$corpus/; \
		$$program -max_total_time=$(SECONDS) -rss_limit_mb=4096 -timeout=10 -verbosity=1 \
			-artifact_prefix=$$corpus- $$corpus || exit 1; \
	done

# --- installation --------------------------------------------------------------------------------

DOCUMENTS := $(sort $(wildcard docs/*.md)) README.md CHANGELOG.md SECURITY.md LICENSE
VERSION   := $(shell sed -n 's/^.define TAMIZ_VERSION "\(.*\)"/\1/p' src/cli/cli.h)
SHARE      = $(DESTDIR)$(PREFIX)/share

install: $(BINARY)
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/tamiz
	install -d -m 755 $(SHARE)/doc/tamiz/examples
	install -m 644 $(DOCUMENTS) $(SHARE)/doc/tamiz
	install -m 644 data/sentiment/README.md $(SHARE)/doc/tamiz/lexicon.md
	install -m 644 packaging/cluster.ini $(wildcard monitoring/*) $(SHARE)/doc/tamiz/examples
	install -D -m 644 packaging/tamiz@.service $(DESTDIR)$(PREFIX)/lib/systemd/system/tamiz@.service
	install -D -m 644 packaging/sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/tamiz.conf
	install -D -m 644 packaging/tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/tamiz.conf
	install -d -m 755 $(SHARE)/pkgconfig
	umask 022 && sed 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),' packaging/tamiz.pc >$(SHARE)/pkgconfig/tamiz.pc
	tools/install-help $(BINARY) $(SHARE)

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/tamiz $(SHARE)/man/man1/tamiz.1 $(SHARE)/man/man1/tamiz-*.1
	rm -f $(SHARE)/bash-completion/completions/tamiz $(SHARE)/zsh/site-functions/_tamiz
	rm -f $(SHARE)/fish/vendor_completions.d/tamiz.fish
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/system/tamiz@.service $(SHARE)/pkgconfig/tamiz.pc
	rm -f $(DESTDIR)$(PREFIX)/lib/sysusers.d/tamiz.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/tamiz.conf
	rm -rf $(SHARE)/doc/tamiz

# --- packages ------------------------------------------------------------------------------------

DEBS ?= $(BUILD)/packages

# LC_ALL and TZ are packaging/deb's own affair: the same tree gives the same bytes.
deb: packages $(BINARY)
	@rm -rf $(BUILD)/deb
	@umask 022 && $(MAKE) --no-print-directory -s PACKAGES=no PREFIX=/usr DESTDIR=$(BUILD)/deb install
	@CC='$(CC)' packaging/deb $(abspath $(BUILD)/deb) $(abspath $(DEBS))

# What git has, and nothing else; reproducible, as git archive and gzip -n are.
dist: packages
	@mkdir -p $(DEBS)
	@git archive --prefix=tamiz-$(VERSION)/ HEAD | gzip -9n >$(DEBS)/tamiz-$(VERSION).tar.gz
	@echo "$(DEBS)/tamiz-$(VERSION).tar.gz"

# On a machine whose packages are no rpms nothing of what it is built with is known to rpmbuild: --nodeps.
rpm: dist
	@rpmbuild -bb $(if $(wildcard /etc/debian_version),--nodeps) --define '_topdir $(abspath $(BUILD)/rpm)' \
		--define 'tamiz_version $(VERSION)' --define '_sourcedir $(abspath $(DEBS))' packaging/tamiz.spec
	@cp $(BUILD)/rpm/RPMS/*/*.rpm $(DEBS)

image:
	@$(firstword $(foreach tool,docker podman buildah,$(shell command -v $(tool))) docker) build -t tamiz:$(VERSION) -f packaging/Dockerfile .

package-test: deb
	@INSTALL=$(abspath $(DEBS)) tools/bare

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(UNIT_TESTS:=.d) $(SIM_SOURCES:%.c=$(BUILD)/%.d) $(FUZZ_OBJECTS:.o=.d) $(FUZZ_TESTS:=.d)
