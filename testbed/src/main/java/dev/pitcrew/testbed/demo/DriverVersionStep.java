package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Asks for another driver, and measures how long the driver's DaemonSet takes to ask for it too.
record DriverVersionStep(Screen screen, ControlPlane controlPlane, LiveCluster cluster)
    implements Step<String> {
  private static final String VERSION = "595.91.07";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public String title() {
    return "A user asks for driver " + VERSION;
  }

  @Override
  public String play(Checks checks) {
    var policy = cluster.policy().name();
    var before = driver();
    var patch = "{\"spec\":{\"driver\":{\"version\":\"%s\"}}}".formatted(VERSION);
    screen.line("$ kubectl patch clusterpolicy %s --type merge -p '%s'".formatted(policy, patch));
    controlPlane
        .client()
        .genericKubernetesResources(Policy.KIND)
        .withName(policy)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    var watch = Stopwatch.start();
    try (var _ = screen.waiting(() -> "waiting for the driver's DaemonSet to change")) {
      cluster.await(LIMIT, () -> driver().generation() > before.generation());
    }
    var took = watch.elapsed();
    show(before, took);
    checks.equal(
        "the DaemonSet asks for the new driver",
        true,
        driver().image().contains(":" + VERSION),
        "The operator's log says why the ClusterPolicy was not applied.");
    return VERSION;
  }

  private void show(Operand before, Duration took) {
    var after = driver();
    screen.table(
        new Table(
            List.of(after.name(), "GENERATION", "IMAGE"),
            List.of(row("before", before), row("after " + Words.of(took), after))));
    screen.blank();
    screen.facts(
        List.of(
            new Fact("update strategy", strategy()),
            new Fact(
                "pods with the new driver", "%d of %d".formatted(newPods(), after.desired()))));
  }

  private static List<String> row(String when, Operand driver) {
    return List.of(when, Long.toString(driver.generation()), driver.image());
  }

  private Operand driver() {
    return Operand.driverOf(cluster)
        .orElseThrow(() -> new TestbedException("the DaemonSet of the driver is gone"));
  }

  private String strategy() {
    return cluster.daemonSets().stream()
        .filter(daemonSet -> Operand.of(daemonSet).isDriver())
        .findFirst()
        .flatMap(daemonSet -> Optional.ofNullable(daemonSet.getSpec().getUpdateStrategy()))
        .map(strategy -> strategy.getType())
        .orElse("-");
  }

  private long newPods() {
    return DriverPod.allOf(cluster).stream().filter(pod -> pod.runs(VERSION)).count();
  }
}
