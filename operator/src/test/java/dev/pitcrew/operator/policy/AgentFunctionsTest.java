package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which operands of the reference make way for the node agent, and when.
class AgentFunctionsTest {
  private static final String EXPORTER = "nvidia-node-status-exporter";

  /// The only operand with a function of the agent that is off by default.
  private static final String POLICY = "nodeStatusExporter: {enabled: true}";

  private static final String IMAGE = ", image: {repository: r.io, image: p, version: '1'}}";
  private static final String STANDARD =
      "{enabled: true, functions: [labels, devicePlugin]" + IMAGE;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "labels               | gpu-feature-discovery",
        "devicePlugin         | nvidia-device-plugin-daemonset",
        "labels, devicePlugin | gpu-feature-discovery nvidia-device-plugin-daemonset",
        "validation           | nvidia-operator-validator",
        "nodeStatus           | nvidia-node-status-exporter",
        "cdi                  | ''",
        "runtime              | ''",
        "cdi, runtime         | nvidia-container-toolkit-daemonset",
        "metrics              | nvidia-dcgm-exporter",
      })
  void eachFunctionReplacesItsOperandAndNoOther(String functions, String replaced) {
    var agent = "{enabled: true, functions: [" + functions + "]" + IMAGE;
    var gone = new ArrayList<>(Rendered.of(POLICY, Facts.oneNode()).daemonSets());
    gone.removeAll(Rendered.withAgent(agent, POLICY, Facts.oneNode()).daemonSets());

    assertThat(gone)
        .containsExactlyInAnyOrder(replaced.isEmpty() ? new String[0] : replaced.split(" ", -1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cdi          | ''                        | labels  | has cdi but not runtime: the container toolkit does both",
        "runtime      | ''                        | labels  | has runtime but not cdi: the container toolkit does both",
        "cdi, runtime | cdi: {enabled: false}     | labels  | has cdi and runtime, but spec.cdi.enabled is \"false\"",
        "cdi, runtime | ''                        | labels cdi runtime | ''",
        "cdi          | toolkit: {enabled: false} | labels cdi | ''",
        "runtime      | toolkit: {enabled: false} | labels runtime | ''",
      })
  void functionThatConflictsWithTheToolkit_isLeftToIt_withANotice(
      String functions, String policy, String inForce, String notice) {
    var agent = "{enabled: true, functions: [labels, " + functions + "]" + IMAGE;
    var rendered = Rendered.withAgent(agent, policy, Facts.oneNode());
    var document = rendered.configMap(Agent.NAME).getData().getOrDefault(AgentDocument.KEY, "");

    assertThat(String.join(" ", ApiJson.read(document, AgentDocument.class).functions()))
        .isEqualTo(inForce);
    assertThat(String.join("; ", rendered.plan().notices())).contains(notice);
    assertThat(rendered.plan().notices()).hasSize(notice.isEmpty() ? 0 : 1);
    assertThat(rendered.daemonSets().contains("nvidia-container-toolkit-daemonset"))
        .isEqualTo(!notice.isEmpty());
  }

  @Test
  void prometheusFindsTheAgentUnderTheNamesOfTheExporterOnceTheAgentIsAtWork() {
    var agent = "{enabled: true, functions: [labels, nodeStatus]" + IMAGE;
    var facts = Facts.oneNode().serves("ServiceMonitor");
    var before = Rendered.withAgent(agent, POLICY, facts);
    var after = Rendered.withAgent(agent, POLICY, facts.withAgentAtWork());
    var service = after.object(Service.class, "Service", EXPORTER);

    assertThat(before.objects("Service")).doesNotContain(EXPORTER);
    assertThat(service.getSpec().getSelector()).containsOnly(entry("app", Agent.NAME));
    assertThat(service.getMetadata().getLabels()).containsOnly(entry("app", EXPORTER));
    assertThat(service.getSpec().getPorts().getFirst().getPort()).isEqualTo(8000);
    assertThat(after.objects("ServiceMonitor")).contains(EXPORTER);
    assertThat(after.objects()).doesNotContain("ServiceAccount/" + EXPORTER);
    assertThat(after.daemonSet(Agent.NAME).main().container().getPorts())
        .extracting("name", "containerPort")
        .containsExactly(tuple("node-status", 8000));
  }

  @Test
  void prometheusFindsTheMetricsOfGpusAtTheAgent() {
    var agent = "{enabled: true, functions: [labels, metrics]" + IMAGE;
    var facts = Facts.oneNode().serves("ServiceMonitor");
    var policy = "dcgmExporter: {serviceMonitor: {enabled: true}}";
    var before = Rendered.withAgent(agent, policy, facts);
    var after = Rendered.withAgent(agent, policy, facts.withAgentAtWork());
    var service = after.object(Service.class, "Service", "nvidia-dcgm-exporter");

    assertThat(before.objects("Service")).doesNotContain("nvidia-dcgm-exporter");
    assertThat(service.getSpec().getSelector()).containsOnly(entry("app", Agent.NAME));
    assertThat(service.getSpec().getPorts().getFirst().getPort()).isEqualTo(9400);
    assertThat(after.objects("ServiceMonitor")).contains("nvidia-dcgm-exporter");
    assertThat(after.objects()).doesNotContain("ServiceAccount/nvidia-dcgm-exporter");
  }

  /// The engine serves others too, so the policy's switch alone decides on it.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dcgm: {enabled: true}  | true",
        "dcgm: {}               | true",
        "dcgm: {enabled: false} | false",
      })
  void theHostEngineRunsBesideTheAgentWhereThePolicyHasIt(String policy, boolean runs) {
    var agent = "{enabled: true, functions: [labels, metrics]" + IMAGE;
    var rendered = Rendered.withAgent(agent, policy, Facts.oneNode().withAgentAtWork());

    assertThat(rendered.daemonSets().contains("nvidia-dcgm")).isEqualTo(runs);
    assertThat(rendered.objects().contains("Service/nvidia-dcgm")).isEqualTo(runs);
    assertThat(rendered.daemonSets()).doesNotContain("nvidia-dcgm-exporter");
  }

  @Test
  void theHostEngineBesideTheAgentCountsForThePolicy() {
    var agent = "{enabled: true, functions: [labels, metrics]" + IMAGE;
    var facts = Facts.oneNode().withAgentAtWork();
    var plan = Rendered.withAgent(agent, "dcgm: {enabled: true}", facts).plan();
    var verdict =
        PolicyVerdict.of(
            plan,
            facts.build(),
            name ->
                new Rollout(
                    name,
                    true,
                    1,
                    1,
                    1,
                    0,
                    name.equals("nvidia-dcgm") ? 0 : 1,
                    Optional.empty(),
                    Optional.empty()));

    assertThat(verdict.state()).isEqualTo("notReady");
    assertThat(verdict.message()).contains("states not ready: [state-dcgm]");
  }

  @Test
  void theExportersServiceIsNeverGone() {
    var agent = "{enabled: true, functions: [labels, devicePlugin, nodeStatus]" + IMAGE;

    assertThat(pruned(agent, withAgent(), Facts.oneNode().withAgentAtWork()))
        .contains("DaemonSet/" + EXPORTER, "ServiceAccount/" + EXPORTER)
        .doesNotContain("Service/" + EXPORTER);
    assertThat(pruned(agent, withAgent())).isEmpty();
  }

  @Test
  void anExporterThatIsSwitchedOffIsNotFoundAtTheAgentEither() {
    var agent = "{enabled: true, functions: [labels, nodeStatus]" + IMAGE;
    var off =
        Rendered.withAgent(
            agent, "nodeStatusExporter: {enabled: false}", Facts.oneNode().withAgentAtWork());

    assertThat(off.objects("Service")).doesNotContain(EXPORTER);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{}", "{enabled: false, functions: [labels, devicePlugin]}"})
  void anAgentThatIsOffChangesNothing(String agent) {
    var off = objects(Rendered.withAgent(agent, POLICY, Facts.oneNode()).plan());

    assertThat(off.equals(reference())).isTrue();
  }

  @Test
  void theReferencesPluginGoesWithAllItsObjectsOnceTheAgentServesItsNodes() {
    assertThat(pruned(STANDARD, withAgent(), Facts.oneNode().withAgentAtWork()))
        .contains("DaemonSet/nvidia-device-plugin-daemonset", "DaemonSet/gpu-feature-discovery")
        .contains("ServiceAccount/nvidia-device-plugin", "ClusterRole/nvidia-device-plugin")
        .noneMatch(name -> name.contains("toolkit") || name.contains("validator"));
  }

  @Test
  void theReferencesPluginGoesOnUntilThen() {
    assertThat(pruned(STANDARD, reference())).isEmpty();
    assertThat(pruned(STANDARD, withAgent())).isEmpty();
  }

  @Test
  void operandThatThePolicyTurnsOff_isRemovedWithoutWaitingForAgents() {
    var owned = reference();
    var plan =
        Rendered.withAgent(STANDARD, "devicePlugin: {enabled: false}", Facts.oneNode()).plan();

    assertThat(Pruning.unwanted(plan, owned, Set.of()))
        .extracting(object -> object.getMetadata().getName())
        .contains("nvidia-device-plugin-daemonset")
        .doesNotContain("gpu-feature-discovery");
  }

  @Test
  void aPolicyWhoseOperandsWaitForAgentsNamesTheNode() {
    var facts = Facts.oneNode().awaitingAgentsOn("gpu-2", "gpu-1");
    var verdict = verdict(Rendered.withAgent(STANDARD, POLICY, facts).plan(), facts);

    assertThat(verdict.state()).isEqualTo("notReady");
    assertThat(verdict.message())
        .contains("does not serve 2 nodes, the first of them gpu-1", "kubectl get gpunodes");
  }

  @Test
  void anAgentThatCannotComeTakesNothingAway() {
    var unknownImage = "{enabled: true, functions: [labels, devicePlugin]}";
    var rendered = Rendered.withAgent(unknownImage, POLICY, Facts.oneNode());

    assertThat(rendered.problems())
        .singleElement()
        .asString()
        .contains("FleetPolicy spec.agent.image", "PITCREW_IMAGE");
    assertThat(pruned(unknownImage, reference())).isEmpty();
  }

  @Test
  void agentThatIsTurnedOff_isReplacedByTheOperandsOfTheReference() {
    var off = "{enabled: false, functions: [labels, devicePlugin]}";

    assertThat(Rendered.withAgent(off, POLICY, Facts.oneNode()).daemonSets())
        .contains("nvidia-device-plugin-daemonset", "gpu-feature-discovery");
    assertThat(pruned(off, withAgent()))
        .contains("DaemonSet/pitcrew-agent", "ConfigMap/pitcrew-agent", "ClusterRole/pitcrew-agent")
        .allMatch(name -> name.matches(".*/pitcrew-(agent|gpu-detector)"));
  }

  @Test
  void withoutFeatureLabelsTheRemedyIsTheOneThatHelps() {
    var facts = Facts.oneNode().withoutFeatureLabels();
    var agent = Rendered.withAgent(STANDARD, POLICY, facts).plan();
    var reference = Rendered.of(POLICY, facts).plan();

    assertThat(verdict(agent, facts).message()).contains("the node agent has labelled no node");
    assertThat(verdict(reference, facts).message()).contains("install node feature discovery");
  }

  @Test
  void withoutAGpuNodeTheAgentHasNothingToLabel() {
    var facts = Facts.cluster().withoutFeatureLabels();

    assertThat(verdict(Rendered.withAgent(STANDARD, POLICY, facts).plan(), facts).reason())
        .isEqualTo("NoGPUNodes");
    assertThat(verdict(Rendered.of(POLICY, facts).plan(), facts).reason())
        .isEqualTo("NFDLabelsMissing");
  }

  private static PolicyVerdict verdict(PolicyPlan plan, Facts facts) {
    return PolicyVerdict.of(
        plan,
        facts.build(),
        _ -> new Rollout("d", true, 0, 0, 0, 0, 0, Optional.empty(), Optional.empty()));
  }

  private static List<HasMetadata> reference() {
    return objects(Rendered.of(POLICY, Facts.oneNode()).plan());
  }

  private static List<HasMetadata> withAgent() {
    var agent = objects(Rendered.withAgent(STANDARD, POLICY, Facts.oneNode()).plan());
    return Stream.of(reference(), agent).flatMap(List::stream).distinct().toList();
  }

  private static List<HasMetadata> objects(PolicyPlan plan) {
    return Stream.concat(plan.resources().stream(), plan.daemonSets().stream()).toList();
  }

  private static List<String> pruned(String agent, List<HasMetadata> owned) {
    return pruned(agent, owned, Facts.oneNode());
  }

  private static List<String> pruned(String agent, List<HasMetadata> owned, Facts facts) {
    var plan = Rendered.withAgent(agent, POLICY, facts).plan();
    return Pruning.unwanted(plan, owned, Set.of()).stream()
        .map(object -> object.getKind() + "/" + object.getMetadata().getName())
        .distinct()
        .toList();
  }
}
