# Every target only calls `python -m book`, which also works where there is no make.
PYTHON ?= python3

.PHONY: help book site pdf lab test test-long nightly clean

help:          ## show this list
	@sed -n 's/^\([a-z-]*\): *## /  make \1\t/p' $(MAKEFILE_LIST)

book:          ## build the site and serve it on this machine
	@$(PYTHON) -m book serve

site:          ## build the site
	@$(PYTHON) -m book site

pdf:           ## print the book as one PDF
	@$(PYTHON) -m book pdf

lab:           ## open the chapters in JupyterLab
	@$(PYTHON) -m book lab

test:          ## run the checks, in ten minutes
	@$(PYTHON) -m book test

test-long:     ## run the tests that take longer, and those in a browser
	@$(PYTHON) -m book test-long

nightly:       ## run what takes too long for every change
	@$(PYTHON) -m book nightly

clean:         ## remove what was built
	@$(PYTHON) -m book clean
