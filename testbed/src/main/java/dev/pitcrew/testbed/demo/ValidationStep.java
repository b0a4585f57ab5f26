package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.GpuNodeView.CheckView;
import dev.pitcrew.testbed.demo.Screen.Fact;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// The agent checks all parts of the node, in the place of NVIDIA's validator and its pods.
record ValidationStep(
    Screen screen,
    ControlPlane controlPlane,
    LiveCluster cluster,
    GpuServer server,
    NodeFacts facts)
    implements Step<NodeFacts> {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String PASSED = "Passed";

  /// Of what the node has.
  private static final List<String> PARTS = List.of("driver", "toolkit", "cdi", "cuda", "plugin");

  private static final Set<String> FINE = Set.of(PASSED, "Off");

  @Override
  public String title() {
    return "The agent validates %s, without a pod and without a GPU of its own"
        .formatted(server.name());
  }

  @Override
  public NodeFacts play(Checks checks) {
    screen.line(
        "$ kubectl label node %s %s=true".formatted(server.name(), OperandSwitches.VALIDATION));
    new OperandSwitches(controlPlane.client(), server.name()).validationOn();
    var watch = Stopwatch.start();
    try (var _ = screen.waiting(() -> "waiting for the checks: " + words())) {
      cluster.await(LIMIT, this::isOver);
    }
    screen.line("Seen after %s:".formatted(Words.of(watch.elapsed())));
    screen.table(
        Table.of(
            List.of("CHECK", "STATE", "WHAT WAS SEEN"),
            facts.gpuNode().checks().stream()
                .map(check -> List.of(check.part(), check.state(), check.message()))));
    showHost();
    check(checks);
    return facts;
  }

  private boolean isOver() {
    return PARTS.stream().allMatch(part -> state(part).equals(PASSED))
        && facts.gpuNode().ready().equals("True");
  }

  private String state(String part) {
    return facts.gpuNode().checks().stream()
        .filter(check -> check.part().equals(part))
        .map(CheckView::state)
        .findFirst()
        .orElse("-");
  }

  private String words() {
    return PARTS.stream().map(part -> part + " " + state(part)).toList().toString();
  }

  private void showHost() {
    var host = facts.gpuNode().host();
    screen.blank();
    screen.line("Who sets what up on the host:");
    screen.facts(
        List.of(
            new Fact("host", "%s (%s)".formatted(host.name(), host.profile())),
            new Fact("runtime", host.runtime()),
            new Fact("toolkit", host.toolkit()),
            new Fact("driver", host.driver())));
  }

  private void check(Checks checks) {
    checks.equal(
        "checks that passed",
        PARTS,
        PARTS.stream().filter(part -> state(part).equals(PASSED)).toList(),
        "kubectl get gpunode %s -o yaml says in status.validation what to do."
            .formatted(server.name()));
    checks.equal(
        "checks that did not",
        List.of(),
        facts.gpuNode().checks().stream()
            .filter(check -> !FINE.contains(check.state()))
            .map(check -> check.part() + ": " + check.message())
            .toList(),
        "The message says what to do.");
    checks.equal(
        "GPUs that were not checked by CUDA",
        List.of(),
        facts.gpuNode().checks().stream()
            .filter(check -> check.part().equals("cuda"))
            .map(CheckView::message)
            .filter(message -> message.contains("not checked"))
            .toList(),
        "The message says why.");
    checks.equal(
        "status files on the node",
        "cuda-ready driver-ready plugin-ready toolkit-ready",
        files(),
        "The agent's log names a file that it cannot write.");
    checks.equal(
        "the profile of the host", "Plain", facts.gpuNode().host().profile(), "docs/hosts.md");
  }

  /// The operands that stay NVIDIA's wait for these.
  private String files() {
    return server
        .node()
        .exec("sh", "-c", "cd /run/nvidia/validations && ls | grep -- '-ready$' | tr '\\n' ' '")
        .output()
        .strip();
  }
}
