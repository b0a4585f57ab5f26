package dev.pitcrew.testbed.demo;

import static java.util.stream.Collectors.joining;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.image.BuiltImage;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Installs the chart as a user does, with a values file.
///
/// @param operatorNode the only node on which the operator can run; none where it runs beside the
///   cluster
/// @param more a values file that is laid over the other
/// @param set values that are laid over both
record ChartStep(
    Screen screen,
    ControlPlane controlPlane,
    DemoOptions options,
    Optional<String> operatorNode,
    Optional<Path> more,
    Map<String, ?> set)
    implements Step<ReleaseName> {
  private static final ReleaseName RELEASE = new ReleaseName("gpu-operator", "gpu-operator");

  @Override
  public String title() {
    return "Helm installs the chart with "
        + options.values()
        + more.map(file -> " and " + file).orElse("");
  }

  @Override
  public ReleaseName play(Checks checks) {
    var values = DemoValues.read(options.values());
    try (var _ = screen.waiting(() -> "helm install")) {
      Chart.withBuiltImage(options.chart())
          .install(controlPlane.kubeconfigFile(), RELEASE, Values.of(placed(values).all()));
    } catch (IllegalStateException e) {
      throw new TestbedException("helm refuses " + options.chart() + ": " + e.getMessage(), e);
    }
    show(checks);
    check(values, checks);
    return RELEASE;
  }

  /// The values, and where the operator runs: pods of simulated nodes run nothing.
  private DemoValues placed(DemoValues values) {
    var all = more.map(DemoValues::read).map(it -> values.with(it.all())).orElse(values).with(set);
    screen.line("--set pitcrew.image.repository=" + BuiltImage.REPOSITORY);
    operatorNode.ifPresent(
        node -> screen.line("--set operator.nodeSelector.kubernetes\\.io/hostname=" + node));
    return operatorNode
        .map(node ->
            all.with(
                Map.of("operator", Map.of("nodeSelector", Map.of("kubernetes.io/hostname", node)))))
        .orElse(all);
  }

  private void show(Checks checks) {
    var release = releaseLabels();
    var status = release.getOrDefault("status", "-");
    var revision = release.getOrDefault("version", "-");
    var definitions = establishedDefinitions();
    screen.facts(
        List.of(
            new Fact(
                "release",
                "%s in namespace %s: %s, revision %s"
                    .formatted(RELEASE.name(), RELEASE.namespace(), status, revision)),
            new Fact("definitions", String.join(" ", definitions)),
            new Fact("ClusterPolicy", policies().map(ChartStep::words).collect(joining("; ")))));
    checks.equal("the release's record", "deployed", status, "helm status gpu-operator says why.");
    checks.equal(
        "definitions that are established",
        fileCount(options.chart().resolve("crds")),
        definitions.size(),
        "Look at the conditions of the missing definition.");
  }

  private static String words(GenericKubernetesResource policy) {
    return "%s: driver %s, toolkit %s, MIG strategy %s"
        .formatted(
            policy.getMetadata().getName(),
            setting(policy, "driver", "version"),
            setting(policy, "toolkit", "version"),
            setting(policy, "mig", "strategy"));
  }

  private void check(DemoValues values, Checks checks) {
    checks.equal("ClusterPolicies", 1, policies().count(), "The chart creates one.");
    values
        .driverVersion()
        .ifPresent(version ->
            checks.equal(
                "the ClusterPolicy's driver version",
                version,
                policies()
                    .map(policy -> setting(policy, "driver", "version"))
                    .collect(joining(" ")),
                "The chart must pass on what the values file says."));
  }

  private Stream<GenericKubernetesResource> policies() {
    return controlPlane.client().genericKubernetesResources(Policy.KIND).list().getItems().stream();
  }

  /// The labels of the Secret in which Helm keeps the release.
  private Map<String, String> releaseLabels() {
    return controlPlane
        .client()
        .secrets()
        .inNamespace(RELEASE.namespace())
        .withLabels(Map.of("owner", "helm", "name", RELEASE.name()))
        .list()
        .getItems()
        .stream()
        .findFirst()
        .map(ChartStep::labels)
        .orElse(Map.of());
  }

  private static Map<String, String> labels(Secret secret) {
    return secret.getMetadata().getLabels();
  }

  private List<String> establishedDefinitions() {
    return controlPlane
        .client()
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .list()
        .getItems()
        .stream()
        .filter(Definitions::isEstablished)
        .map(definition -> definition.getMetadata().getName())
        .toList();
  }

  private static String setting(GenericKubernetesResource policy, String section, String field) {
    return Objects.toString(policy.get("spec", section, field), "-");
  }

  private static long fileCount(Path folder) {
    try (var files = Files.list(folder)) {
      return files.count();
    } catch (IOException e) {
      throw new TestbedException("cannot read " + folder + "; see --chart", e);
    }
  }
}
