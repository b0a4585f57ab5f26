# Pitcrew. 'make help' lists the targets.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

export JAVA_HOME := $(shell build/java-home 2>/dev/null)
MAVEN := build/maven --batch-mode --no-transfer-progress
JAVA := $(JAVA_HOME)/bin/java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx512m --enable-native-access=ALL-UNNAMED
TESTBED := $(JAVA) -cp 'testbed/target/*:testbed/target/lib/*'

.PHONY: help prerequisites build native image kubectl-gpu node-bundle dist push demo takeover screenshots check test soak test-gpu parity bench fmt crds clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{ printf "  make %-11s %s\n", $$1, $$2 }'

prerequisites:
	@build/prerequisites

build: prerequisites native ## Compile everything, without tests
	@echo "Building (the first time Maven fetches its libraries: a minute or two)"
	@$(if $(PROGRAMS),build/programs $(PROGRAMS)) $(MAVEN) -q -T2 package -DskipTests -Dspotless.check.skip

native: prerequisites ## Compile the C programs of the node (on Linux)
	@build/native all

image: prerequisites ## Build the image of operator and agent into image/target, without a container engine (on Linux)
	@MAKE='$(MAKE)' build/image

kubectl-gpu: build ## Make the kubectl plugin, cli/kubectl-gpu, start fast
	@build/kubectl-gpu

node-bundle: build ## Pack the agent's programs for a machine without Java into image/target, at most 45 MiB (on Linux)
	@build/node-bundle

dist: image ## Pack a release into target/dist: image, chart, kubectl plugin, digests (REGISTRY=HOST/PATH and URL=FOLDER where they will be)
	@build/dist dist $(if $(REGISTRY),--registry='$(REGISTRY)') $(if $(URL),--url='$(URL)')

push: prerequisites ## Push the image of target/dist and the chart (REGISTRY=HOST/PATH; PLAIN_HTTP=1 where it speaks HTTP)
	@[ -d target/dist ] || '$(MAKE)' --no-print-directory dist
	@build/dist push '$(REGISTRY)' $(if $(PLAIN_HTTP),--plain-http)

check: prerequisites ## What a change needs first: format, static analysis, all tests without a control plane or a node (5 minutes)
	@build/tests check $(ARGS)

test: prerequisites ## Everything that continuous integration checks (some 33 minutes; ARGS=--only=REGEX runs some of it)
	@build/tests test $(ARGS)

test-gpu: prerequisites ## On a machine with NVIDIA GPUs, as root: pods compute on them (3 minutes after the build)
	@build/tests gpu $(ARGS)

soak: prerequisites ## Long matrices, outages and loads in full, before a release (2 hours)
	@build/tests soak $(ARGS)

parity: build ## Play the recorded scenarios of the reference operator (SCENARIOS=DIR plays another folder)
	$(TESTBED) dev.pitcrew.testbed.scenario.ParityCommand \
	  --ignore=parity/ignore --out=parity/target \
	  $(if $(SCENARIOS),--scenarios='$(SCENARIOS)',--scenarios=parity/scenarios --expected=parity/expected --strict) $(ARGS)

# They run Kubernetes programs, which 'build' makes for them beside Maven.
demo bench: PROGRAMS := demo
demo: build image ## Show it on a real control plane; as root on Linux with one real node (ONCE=1 checks each step and exits)
	$(TESTBED) dev.pitcrew.testbed.demo.DemoCommand $(if $(ONCE),--once) $(ARGS)

takeover: ARGS += --takeover
takeover: demo ## Show how a cluster of the NVIDIA GPU Operator is taken over, and the way back (as root on Linux; ONCE=1 as above)

screenshots: build ## Take the pictures of the console in docs/images again, in a real Chromium
	@mkdir -p docs/images
	@build/tests test '--only=^cli command.ConsoleScreensTest' --jvm-flag=-Dpitcrew.screenshots=$(CURDIR)/docs/images

bench: build image ## Measure the operator at 1, 100, 1,000 and 5,000 nodes, the agent and claims on a real one, write the tables in bench/ (some 35 minutes)
	testbed/testbed bench operator --operator-image=image/target/rootfs $(ARGS)
	testbed/testbed bench operator --operator-image=image/target/rootfs --only=upgrade --sizes=12,100
	testbed/testbed bench steady --operator-image=image/target/rootfs
	testbed/testbed bench agent
	testbed/testbed bench claims

fmt: prerequisites ## Format all Java sources
	$(MAVEN) -q spotless:apply

crds: ## Copy the definitions of the custom resources into the chart, and derive the schema of its values
	$(MAVEN) -q -pl charts -am test -Dcrds.update=true -Dtest='DefinitionsTest,Values*Test' -Dsurefire.failIfNoSpecifiedTests=false

clean: ## Remove what builds made
	build/native clean
	$(MAVEN) -q clean
