package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.gpucluster.GpuClusterPlan;
import dev.pitcrew.operator.operand.dra.DraContext;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The operator holds what it grants, so the chart gives it what is in a file. What no role of an
/// operand has does not belong there.
class GrantedPermissionsTest {
  private static final Path FILE =
      Path.of("..", "charts", "src", "test", "resources", "operand-permissions.txt");
  private static final String POLICY =
      """
      sandboxWorkloads: {enabled: true}
      nodeStatusExporter: {enabled: true}
      dcgmExporter: {serviceMonitor: {enabled: true}}
      """;
  private static final String GPU_CLUSTER =
      """
      draDriver: {featureGates: {MPSSupport: true}, computeDomains: {}}
      dcgm: {enabled: true}
      dcgmExporter: {}
      """;
  private static final String AGENT =
      "{enabled: true, functions: [labels, dra], image: {repository: r.io, image: p, version: '1'}}";

  @Test
  void permissionsThatTheChartHoldsForOperands_areGrantedToOne() throws IOException {
    assertThat(recorded()).isEqualTo(granted());
  }

  private static Set<String> recorded() throws IOException {
    try (var lines = Files.lines(FILE)) {
      return lines
          .filter(line -> !line.startsWith("#"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Set<String> granted() {
    var facts = Facts.openShift().serves("ServiceMonitor", "PrometheusRule");
    var context = Rendered.context(POLICY, facts);
    return Stream.of(
            Operands.ALL.stream().flatMap(operand -> operand.resources(context).stream()),
            Rendered.withAgent(AGENT, POLICY, facts).plan().resources().stream(),
            GpuClusterPlan.of(
                new DraContext(Policies.gpuCluster(GPU_CLUSTER), facts.build(), Policies.images()))
                .resources()
                .stream())
        .flatMap(it -> it)
        .flatMap(GrantedPermissionsTest::permissions)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<String> permissions(HasMetadata object) {
    return switch (object) {
      case ClusterRole role -> permissions("cluster", role.getRules());
      case Role role -> permissions("namespace", role.getRules());
      default -> Stream.empty();
    };
  }

  private static Stream<String> permissions(String scope, List<PolicyRule> rules) {
    return rules.stream()
        .flatMap(rule ->
            rule.getApiGroups().stream()
                .map(group -> scope + " " + (group.isEmpty() ? "core" : group) + "/")
                .flatMap(start -> rule.getResources().stream().map(start::concat))
                .flatMap(resource -> named(resource, rule.getResourceNames()))
                .flatMap(resource -> rule.getVerbs().stream().map(verb -> resource + " " + verb)));
  }

  private static Stream<String> named(String resource, List<String> names) {
    return names.isEmpty()
        ? Stream.of(resource)
        : names.stream().map(name -> resource + "[" + name + "]");
  }
}
