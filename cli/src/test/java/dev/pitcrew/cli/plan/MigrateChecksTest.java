package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.Definition;
import dev.pitcrew.cli.cluster.HostNode;
import dev.pitcrew.cli.cluster.NodeSelection;
import dev.pitcrew.cli.cluster.OperandSet;
import dev.pitcrew.cli.cluster.OperatorDeployment;
import dev.pitcrew.cli.cluster.ReferencePolicy;
import dev.pitcrew.cli.cluster.TakeoverReading.Workloads;
import dev.pitcrew.cli.plan.Checks.Mark;
import dev.pitcrew.core.text.YamlText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a move from the NVIDIA GPU Operator changes.
class MigrateChecksTest {
  private static final Set<String> FIELDS =
      Set.of(
          "spec.driver",
          "spec.driver.version",
          "spec.driver.env",
          "spec.driver.env[].name",
          "spec.kataManager");

  private OperatorDeployment operator = operator("gpus", "gpu-operator-v26.7.0", "", false);
  private Map<?, ?> spec = Map.of();
  private Map<String, List<String>> byHand = Map.of();
  private String state = "ready";
  private String policyName = "cluster-policy";
  private List<OperandSet> operands = List.of();
  private List<NodeSelection> selections = List.of();
  private List<String> discovery = List.of();
  private List<HostNode> nodes = List.of();
  private List<Definition> definitions = List.of();
  private Optional<MigrateChecks.Values> values = Optional.empty();

  @Test
  void clusterThatIsFit_endsWithItsOwnCommands() {
    Checks checks = checks();

    assertThat(checks.ok()).isTrue();
    assertThat(text(checks)).contains("of Helm release gpus", "no pod holds a GPU");
    assertThat(checks.next())
        .containsExactly(
            "helm get values gpus --namespace ops --output yaml > your-values.yaml",
            "add pitcrew.image.repository to your-values.yaml",
            "helm upgrade gpus charts/pitcrew --namespace ops --values your-values.yaml --set fleetPolicy.agent.enabled=false",
            "kubectl wait --for=condition=Ready clusterpolicy/cluster-policy --timeout=20m",
            "helm upgrade gpus charts/pitcrew --namespace ops --values your-values.yaml",
            "kubectl wait --for=condition=Ready clusterpolicy/cluster-policy --timeout=60m");
  }

  @Test
  void commands_haveTheFileAsOneWord() {
    values = values("my values.yaml", "pitcrew: {image: {repository: r}}");

    assertThat(checks().next())
        .first()
        .asString()
        .startsWith("helm upgrade gpus")
        .contains("--values 'my values.yaml' --set");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''   | gpu-operator-v26.7.0  | ''                      | false | BLOCKER | of no Helm release",
        "gpus | gpu-operator-v26.7.0  | ''                      | true  | BLOCKER | Operator Lifecycle Manager",
        "gpus | gpu-operator-v25.10.1 | ''                      | false | WARNING | images and defaults change to those of v26.7.0",
        "''   | gpu-operator-v26.7.0  | Argo CD Application ops | false | WARNING | written by Argo CD Application ops",
      })
  void operator_hasToBeWhatHelmCanTakeOver(
      String release, String chart, String tool, boolean isOfOlm, Mark mark, String words) {
    operator = operator(release, chart, tool, isOfOlm);

    assertThat(line(checks(), words)).extracting(Checks.Line::mark).isEqualTo(mark);
  }

  @Test
  void gitOpsTool_isGivenTheSteps() {
    operator = operator("", "gpu-operator-v26.7.0", "Argo CD Application ops", false);

    assertThat(checks().next())
        .first()
        .asString()
        .startsWith("in Argo CD Application ops: ")
        .contains("docs/gitops.md");
  }

  @Test
  void withoutAnOperator_thereIsNothingToTakeOver() {
    Checks none = MigrateChecks.of(facts(Optional.empty()));

    assertThat(none.ok()).isFalse();
    assertThat(text(none)).contains("no NVIDIA GPU Operator runs", "kubectl gpu check install");
    assertThat(none.next()).isEmpty();
  }

  @Test
  void policy_isReadByWhatPitcrewKnows() {
    spec =
        yaml("{driver: {version: '1', new: x, env: [{name: A, more: 1}]}, gds: {enabled: true}}");
    byHand = Map.of("kubectl-edit", List.of("spec.driver.version"));
    state = "notReady";
    policyName = "mine";

    Checks checks = checks();

    assertThat(line(checks, "fields that Pitcrew does not have").details())
        .containsExactlyInAnyOrder("spec.driver.new", "spec.driver.env[].more", "spec.gds");
    assertThat(line(checks, "set by hand (kubectl-edit)").details())
        .containsExactly("spec.driver.version");
    assertThat(line(checks, "ClusterPolicy mine is notReady").mark()).isEqualTo(Mark.WARNING);
    assertThat(checks.next()).anyMatch(it -> it.contains("--set clusterPolicy.deployCR=false"));
    spec = yaml("{kataManager: {enabled: true}}");
    assertThat(line(checks(), "settings that have no effect").details())
        .containsExactly("spec.kataManager.enabled has no effect; clear it");
  }

  @Test
  void values_areComparedWithThoseOfTheChart() {
    values =
        values(
            "v.yaml",
            "{drivr: {a: 1}, driver: {enbaled: true, env: [{x: 1}]}, operator: {version: v1}, node-feature-discovery: {a: 1}, gone: null}");

    Checks checks = checks();

    assertThat(line(checks, "v.yaml: 2 values are known to no chart").details())
        .containsExactlyInAnyOrder(
            "drivr: did you mean driver?", "driver.enbaled: did you mean driver.enabled?");
    assertThat(text(checks))
        .contains(
            "operator.repository, image and version name NVIDIA's operator",
            "node-feature-discovery has no effect",
            "pitcrew.image.repository is not set");
    values = values("v.yaml", "{driver: {enabled: true}, pitcrew: {image: {repository: r}}}");
    assertThat(text(checks())).contains("✔ v.yaml: all values are known");
  }

  @Test
  void operands_areNamedWithWhatHappensToThem() {
    operands =
        List.of(
            operand("nvidia-driver-daemonset", 3, 3, "nvcr.io/nvidia/driver:595"),
            operand(
                "nvidia-dcgm-exporter", 3, 2, "nvcr.io/nvidia/k8s/dcgm-exporter:4.2.3-4.1.3-u"));

    Checks checks = checks();

    assertThat(line(checks, "restarts no pod of the 2 DaemonSets").details())
        .containsExactly("nvidia-driver-daemonset: 3 pods, kept", "nvidia-dcgm-exporter: 3 pods");
    assertThat(line(checks, "not ready on all nodes").details())
        .containsExactly("nvidia-dcgm-exporter is ready on 2 of 3 nodes");
    assertThat(line(checks, "has the label Hostname in its metrics"))
        .satisfies(it -> assertThat(it.details()).containsExactly("PrometheusRule ops/gpus"))
        .satisfies(it -> assertThat(it.remedy()).contains("PITCREW_CAPITAL_HOSTNAME_LABEL=true"));
    operands = List.of(operand("nvidia-dcgm-exporter", 3, 3, "r/dcgm-exporter:4.5.1-4.8.0-u"));
    assertThat(text(checks())).doesNotContain("HOSTNAME", "not ready on all nodes");
  }

  @Test
  void workloadsThatChooseByLabelsThatGo_areNamed() {
    selections =
        List.of(
            new NodeSelection(
                "Deployment ml/a",
                new TreeSet<>(List.of("feature.node.kubernetes.io/cpu-cpuid.AVX512F", "zone"))),
            new NodeSelection(
                "Deployment ml/b",
                new TreeSet<>(List.of("feature.node.kubernetes.io/kernel-version.full"))),
            new NodeSelection(
                "DaemonSet ml/c", new TreeSet<>(List.of("nvidia.com/gpu.deploy.driver"))));

    assertThat(text(checks())).doesNotContain("ml/a", "ml/b").contains("ml/c");
    discovery = List.of("ops/gpus");
    assertThat(line(checks(), "node feature discovery came with the chart").details())
        .containsExactly("Deployment ml/a: feature.node.kubernetes.io/cpu-cpuid.AVX512F");
    discovery = List.of("nfd/nfd");
    assertThat(text(checks())).contains("node feature discovery is of its own chart, and stays");
  }

  @Test
  void nodesOnTheirWay_areInTheWay() {
    spec = yaml("{driver: {version: 595.1}}");
    nodes =
        List.of(
            node("a", "{nvidia.com/gpu-driver-upgrade-state: drain-required}", true),
            node("b", "{nvidia.com/gpu-driver-upgrade-state: upgrade-failed}", false),
            node("c", "{nvidia.com/gpu-driver-upgrade-state: upgrade-done}", true),
            node("d", "{nvidia.com/cuda.driver-version.full: '570.2'}", false));

    Checks checks = checks();

    assertThat(line(checks, "1 nodes are at drain-required: a").mark()).isEqualTo(Mark.BLOCKER);
    assertThat(line(checks, "1 nodes are at upgrade-failed: b").mark()).isEqualTo(Mark.WARNING);
    assertThat(text(checks))
        .contains(
            "1 nodes run driver 570.2, and the policy asks for 595.1: d",
            "1 nodes with GPUs are cordoned: c");
    nodes = List.of(node("c", "{nvidia.com/gpu-driver-upgrade-state: upgrade-done}", false));
    assertThat(text(checks())).contains("no node is on its way to another driver");
  }

  @Test
  void definitionsOfOthers_areNamed() {
    definitions =
        List.of(
            new Definition(
                "clusterpolicies.nvidia.com", true, List.of("v1"), "Helm release a/b", false),
            new Definition(
                "nvidiadrivers.nvidia.com", true, List.of("v1"), "Helm release ops/gpus", false));

    assertThat(line(checks(), "definitions of other Helm releases").details())
        .containsExactly("clusterpolicies.nvidia.com of Helm release a/b");
  }

  private Checks checks() {
    return MigrateChecks.of(facts(Optional.of(operator)));
  }

  private MigrateChecks.Facts facts(Optional<OperatorDeployment> found) {
    String driver =
        spec.get("driver") instanceof Map<?, ?> fields ? String.valueOf(fields.get("version")) : "";
    return new MigrateChecks.Facts(
        new InstallChecks.Facts(
            "v1.36.0",
            "ops",
            true,
            Optional.of("privileged"),
            definitions,
            Optional.of(List.of()),
            true,
            List.of(),
            Optional.of(nodes)),
        found,
        new Workloads(true, List.of(), List.of(), operands, selections, discovery),
        Optional.of(List.of(new ReferencePolicy(policyName, "", state, driver, spec, byHand))),
        List.of(),
        FIELDS,
        List.of("PrometheusRule ops/gpus"),
        Optional.of(List.of()),
        values);
  }

  private static Optional<MigrateChecks.Values> values(String file, String yaml) {
    return Optional.of(
        new MigrateChecks.Values(
            file,
            yaml(yaml),
            yaml(
                "{driver: {enabled: null, env: null, version: null}, operator: {version: null}, node-feature-discovery: null, pitcrew: null}")));
  }

  private static Map<?, ?> yaml(String text) {
    return YamlText.parse(text) instanceof Map<?, ?> fields ? fields : Map.of();
  }

  private static OperatorDeployment operator(
      String release, String chart, String tool, boolean isOfOlm) {
    return new OperatorDeployment("ops", "gpu-operator", false, "i", release, chart, tool, isOfOlm);
  }

  private static OperandSet operand(String name, long desired, long ready, String image) {
    return new OperandSet("ops", name, desired, ready, List.of(image));
  }

  private static HostNode node(String name, String labels, boolean cordoned) {
    return HostNode.of(
        Objects.json(
            """
            metadata: {name: %s, labels: %s}
            spec: {unschedulable: %s}
            """
                .formatted(
                    name, labels.replace("{", "{nvidia.com/gpu.present: 'true', "), cordoned)));
  }

  private static Checks.Line line(Checks checks, String words) {
    return checks.lines().stream()
        .filter(it -> it.text().contains(words))
        .findFirst()
        .orElseThrow(() -> new AssertionError(words + " is not in:\n" + text(checks)));
  }

  private static String text(Checks checks) {
    return checks.lines().stream()
        .map(it ->
            (it.mark() == Mark.GOOD ? "✔ " : it.mark() == Mark.WARNING ? "! " : "✘ ")
                + it.text()
                + "\n    "
                + String.join("\n    ", it.details())
                + "\n    "
                + it.remedy())
        .collect(Collectors.joining("\n"));
  }
}
