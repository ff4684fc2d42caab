# `make demo` and `make test` are the two commands of a newcomer: each sets itself up first, which
# takes minutes once and a second later on.

BIN := .venv/bin
# Two processes; the tests of a file stay in one, since they share what takes long to make.
BESIDE := -n 2 --dist loadfile --no-loadscope-reorder
SCRIPTS := .ci/set_up.py $(wildcard conf/demo/*.py conf/demo/generator/*.py docs/timeline/*.py tests/bench/*.py)

.PHONY: help set-up demo test test-all lint bench clean

help:
	@echo "make demo      run three nights on the shipped archive and ask questions"
	@echo "make test      the tests, but for those that take minutes"
	@echo "make test-all  every test"
	@echo "make lint      ruff and mypy"
	@echo "make bench     10,000, 100,000 and 1,000,000 change rows beside a plain Spark job"
	@echo "make clean     remove what the other commands made here, .venv included"

set-up:
	@.ci/set_up

demo: set-up
	@$(BIN)/python conf/demo/tour.py

test: set-up
	$(BIN)/pytest $(BESIDE) -m "not long"

test-all: set-up
	$(BIN)/pytest $(BESIDE)

lint: set-up
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy $(SCRIPTS)

bench: set-up
	$(BIN)/python tests/bench/bench_records.py 10000 100000 1000000

clean:
	rm -rf .venv build dist spark-warehouse metastore_db derby.log
