# Two commands do everything: `make run` and `make test`. Both make .venv first.

PYTHON ?= $(firstword $(foreach p,python3.11 python3,$(shell command -v $(p) 2>/dev/null)))
BIN := .venv/bin

# Hundreds of processes load the same modules: what one has compiled, the others find.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test whole generated forecasts real strangers libraries upstream witness matrix package plain kills draws random bytes rights long fuzz portable bench lint check schema ops texts pictures clean

help:
	@echo "make run        start inplace-tui         (ARGS='sandbox my.py' passes arguments)"
	@echo "make test       every check, and the tests; of what is exhaustive or dear a sample"
	@echo "make whole      what is exhaustive or dear, in full"
	@echo "make generated  all generated programs, of which make test takes a sample"
	@echo "make forecasts  every forecast of lessons and of 2,000 programs, likewise"
	@echo "make real       programs from public threads: culprit, fix, and whether it is the author's"
	@echo "make strangers  programs of strangers, written before the fixes knew them: which get one"
	@echo "make libraries  trainings with transformers and lightning, which it installs"
	@echo "make upstream   PyTorch's own tests of autograd end alike with the witness; fetches 30 MB"
	@echo "make witness    every program with and without the witness, likewise"
	@echo "make matrix     what must hold on each pair of Python and torch that the README names; fetches 500 MB"
	@echo "make package    the wheel, installed by pip, pipx, uv and pre-commit; fetches 100 MB"
	@echo "make plain      every lesson as lines of text, of which make test takes a sample"
	@echo "make kills      the program killed 1,000 times in a session: what is kept, likewise"
	@echo "make draws      the tests of properties with new examples, which are else the same each time"
	@echo "make random     10,000 programs that do their worst: what is left of them, likewise"
	@echo "make bytes      every pair of bytes on every screen and dialog, likewise"
	@echo "make rights     every way into a run, for every origin, with and without namespaces, likewise"
	@echo "make long       programs of 200,000 lines and the like, likewise"
	@echo "make fuzz       20,000 recordings of nonsense through everything that shows one, likewise"
	@echo "make portable   all that runs on other systems, with what they lack taken away, likewise"
	@echo "make bench      how fast, against peers in the same run; needs cores that are free"
	@echo "make lint       ruff, mypy, import-linter only"
	@echo "make check      every lesson, every claim"
	@echo "make schema     write docs/schema, docs/verdicts.md and docs/ops.md again"
	@echo "make ops        ask the torch here what each op keeps, counts and shares; minutes"
	@echo "make texts      bring the catalogues of translated texts up to date with the code"
	@echo "make clean      remove .venv and caches"

.venv/made:
	@test -n "$(PYTHON)" || { echo "no python3 found: install Python 3.10 or later"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python 3.10 or later is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1). Say which: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

# On all cores: pip would compile on one. What is left out is written for later Pythons.
INSTALL = $(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable
COMPILE = $(BIN)/python -m compileall -q -j 0 -x 'py31[2-9]' .venv/lib

.venv/run: .venv/made pyproject.toml constraints.txt
	$(INSTALL) '.[torch]'
	@$(COMPILE)
	@touch $@

.venv/test: .venv/made pyproject.toml constraints.txt
	$(INSTALL) '.[dev]'
	@$(COMPILE)
	@touch .venv/run $@

.venv/bench: .venv/run
	$(INSTALL) '.[bench,torch]'
	@$(COMPILE)
	@touch $@

run: .venv/run
	@$(BIN)/inplace-tui $(ARGS)

# Each process takes files that lie together, so that what their tests share is made once. On two
# cores a third one makes `make test` slower, and is of use where tests wait: for kills and floods.
# A test that hangs says where; no test takes a tenth of this.
TOGETHER = --dist worksteal --timeout 900

test: lint
	$(BIN)/pytest -n 2 $(TOGETHER)

whole: .venv/test
	$(BIN)/pytest -n 3 $(TOGETHER) -m "whole or hypothesis"

# None of these leaves out what `make test` leaves to `make whole`.
whole generated forecasts real witness matrix plain kills draws random bytes rights long fuzz portable: export WHOLE = 1

generated: .venv/test
	GENERATED=all $(BIN)/pytest -n 2 tests/generated

real: .venv/test
	REAL=all $(BIN)/pytest -s tests/real

strangers: .venv/test
	STRANGERS=all $(BIN)/pytest -n 2 -rP tests/strangers/test_fixes.py

libraries: .venv/test
	$(INSTALL) '.[libraries,torch]'
	LIBRARIES=all $(BIN)/pytest tests/libraries

upstream: .venv/test
	$(INSTALL) '.[upstream,torch]'
	tests/upstream/run.sh

witness: .venv/test
	WITNESS=all $(BIN)/pytest -n 2 tests/blame

matrix: .venv/test
	tests/matrix/run.sh

package: .venv/test
	PACKAGE=all $(BIN)/pytest -n 2 tests/package

plain: .venv/test
	PLAIN=all $(BIN)/pytest tests/worker/test_plain_facts.py

forecasts: .venv/test
	FORECASTS=all $(BIN)/pytest -n 2 -rP tests/forecasts

kills: .venv/test
	KILLS=1000 $(BIN)/pytest -s tests/faults/test_kills.py

draws: .venv/test
	DRAWS=new $(BIN)/pytest -n 2 -m hypothesis

random: .venv/test
	RANDOM_PROGRAMS=10000 $(BIN)/pytest tests/faults/test_random.py

bytes: .venv/test
	BYTES=all $(BIN)/pytest -n 2 tests/faults/test_keyboard.py tests/faults/test_noise.py

rights: .venv/test
	RIGHTS=all $(BIN)/pytest tests/faults/test_rights.py tests/faults/test_trust_asked.py

long: .venv/test
	LONG=all $(BIN)/pytest tests/faults/test_long_programs.py

fuzz: .venv/test
	FUZZ=all $(BIN)/pytest tests/faults/test_hostile_steps.py tests/diagnosis/faults/test_hostile_children.py

# What these tests promise holds without forks; the others look at what is of Linux alone, as the
# driver of the terminal is. All lessons take hours: PORTABLE and CHECKED name fewer.
PORTABLE = tests/ui --ignore tests/ui/test_trust.py --deselect $(OUR_DRIVER) \
  tests/worker/test_session_runner.py tests/lessons/test_check.py tests/diagnosis/test_programs.py \
  tests/cli/test_running.py tests/cli/test_plain.py tests/diagnosis/test_process_output.py
OUR_DRIVER = tests/ui/test_resizing.py::test_of_sizes_that_come_while_one_is_read_the_last_counts
AWAY = INPLACE_TUI_PORTABLE=1 PYTHONPATH=tests/portable/without
OTHERS = --config-file tests/portable/other_systems.ini --cache-dir .mypy_cache/others

portable: .venv/test
	$(BIN)/mypy $(OTHERS) --platform win32 src
	$(BIN)/mypy $(OTHERS) --platform darwin src
	$(BIN)/pytest -n 2 tests/portable
	$(AWAY) $(BIN)/inplace-tui check $(CHECKED)
	$(AWAY) $(BIN)/pytest -n 2 --timeout 900 $(PORTABLE)

bench: .venv/bench
	$(BIN)/python benches/all.py $(ARGS)

lint: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff check --quiet --preview --select B909  # a loop over what it lengthens may never end
	$(BIN)/ruff format --check
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports --no-cache

check: .venv/run
	@$(BIN)/inplace-tui check

schema: .venv/run
	$(BIN)/python -m inplace_tui.tutorial.report.schema docs/schema
	$(BIN)/python docs/verdict_page.py docs/verdicts.md
	$(BIN)/python docs/ops_page.py docs/ops.md

ops: .venv/run
	$(BIN)/python -m survey $(ARGS)

texts: .venv/test
	$(BIN)/python tests/support/translations.py

pictures: .venv/run
	$(BIN)/python docs/pictures.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
