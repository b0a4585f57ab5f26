package dev.pitcrew.agent.realnode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.agent.cluster.TestAccount;
import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;

/// `pitcrew agent` as a process of the node, and what the operator and a user say to it.
final class AgentOnNode implements AutoCloseable {
  static final ResourceDefinitionContext GPU_NODES =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("GPUNode")
          .withPlural("gpunodes")
          .withNamespaced(false)
          .build();
  static final String STATE = "/var/lib/pitcrew";

  static final String NAMESPACE = "pitcrew";
  private static final String DEPLOY = "nvidia.com/gpu.deploy.";

  /// Without the check by CUDA, a process for each GPU and load of the driver.
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": [
         "labels", "devicePlugin", "mps", "runtime", "validation", "nodeStatus", "metrics"],
       "clusterPolicy": {
         "cdi": {"enabled": true},
         "toolkit": {"enabled": true, "env": [{"name": "NRI_SOCKET", "value": "/run/nri/nri.sock"}]},
         "gfd": {"enabled": true},
         "validator": {"cuda": {"env": [{"name": "WITH_WORKLOAD", "value": "false"}]}},
         "nodeStatusExporter": {"enabled": true},
         "mig": {"strategy": "%s"},
         "dcgmExporter": %s,
         "devicePlugin": {
           "enabled": true,
           "config": {"name": "plugin-configs", "default": "plain"},
           "env": [
             {"name": "DEVICE_LIST_STRATEGY", "value": "cdi-cri"},
             {"name": "NVIDIA_CDI_HOOK_PATH", "value": "%s"}]}}}
      """;

  private final AgentHost node;
  private final TestAccount account;
  private final ConcurrentLinkedDeque<GuardedProcess> started = new ConcurrentLinkedDeque<>();

  private AgentOnNode(AgentHost node, TestAccount account) {
    this.node = node;
    this.account = account;
  }

  /// Everything but the process; nothing else offers the node's GPUs any more, and nothing in the
  /// cluster remembers an agent.
  static AgentOnNode prepare(AgentHost node) {
    node.offerNothing();
    KubernetesClient client = node.client();
    var namespace = new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata();
    client.resource(namespace.build()).serverSideApply();
    byte[] yaml = Crds.yaml("pitcrew.dev_gpunodes.yaml").getBytes(StandardCharsets.UTF_8);
    client.load(new ByteArrayInputStream(yaml)).serverSideApply();
    var account = TestAccount.create(node.controlPlane(), NAMESPACE, folder(node));
    var agent = new AgentOnNode(node, account);
    // MPS, which some tests have, takes no MIG devices.
    agent.say(
        "pitcrew-agent",
        Map.of("agent.json", DOCUMENT.formatted("none", "{\"enabled\": true}", JvmOnNode.HOOK)));
    agent.configure("version: v1");
    agent.deploy("device-plugin", true);
    agent.deploy("gpu-feature-discovery", true);
    return agent;
  }

  private static Path folder(AgentHost node) {
    try {
      return Files.createDirectories(node.jvm().folder().resolve("account"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Starts one and waits for nothing.
  ///
  /// @param name of its log
  GuardedProcess begin(String name) {
    return begin(name, JvmOnNode.Surroundings.PLAIN);
  }

  /// As [#begin(String)].
  GuardedProcess begin(String name, JvmOnNode.Surroundings surroundings) {
    var process =
        node.jvm()
            .start(
                node.node(),
                name,
                surroundings,
                List.of(
                    "agent",
                    "--host-root=" + node.hostRoot(),
                    "--node-name=" + node.node().name(),
                    "--namespace=" + NAMESPACE,
                    "--server=" + node.controlPlane().apiServerAddress(),
                    "--service-account=" + account.folder(),
                    "--health-probe-bind-address=0"));
    started.add(process);
    return process;
  }

  /// Kills all that were started.
  void kill() {
    while (!started.isEmpty()) {
      started.pop().stop();
    }
  }

  /// Whether all that were started still run.
  boolean isAlive() {
    return !started.isEmpty() && started.stream().allMatch(GuardedProcess::isAlive);
  }

  String lastOutput() {
    return started.isEmpty() ? "it does not run" : started.getLast().logTail();
  }

  String user() {
    return account.user();
  }

  /// The files of the agent's account, as the node knows them too.
  Path serviceAccount() {
    return account.folder();
  }

  /// What the operator says in place of the usual.
  void useDocument(String document) {
    say("pitcrew-agent", Map.of("agent.json", document));
  }

  /// The one configuration of device plugins.
  void configure(String yaml) {
    say("plugin-configs", Map.of("plain", yaml));
  }

  /// Has the agent divide GPUs by MIG, out of these layouts.
  void divide(String layouts) {
    say("mig-layouts", Map.of("config.yaml", layouts));
    say(
        "pitcrew-agent",
        Map.of(
            "agent.json",
            DOCUMENT
                .formatted("mixed", "{\"enabled\": true}", JvmOnNode.HOOK)
                .replace("\"mps\", ", "\"mig\", ")
                .replace(
                    "\"clusterPolicy\": {",
                    "\"clusterPolicy\": {\"migManager\": {\"config\": {\"name\": \"mig-layouts\"}},")));
    deploy("mig-manager", true);
  }

  /// Has annotations of pods name devices, as ClusterPolicy `cdi.nriPluginEnabled` does.
  void enableNriPlugin() {
    say(
        "pitcrew-agent",
        Map.of(
            "agent.json",
            DOCUMENT
                .formatted("none", "{\"enabled\": true}", JvmOnNode.HOOK)
                .replace(
                    "\"cdi\": {\"enabled\": true}",
                    "\"cdi\": {\"enabled\": true, \"nriPluginEnabled\": true}")));
  }

  /// Has claims allocate the GPUs of nodes with the label `gpu-claims=true`.
  void serveClaims() {
    serveClaims("{}");
  }

  /// As [#serveClaims()], and the claims for ComputeDomains there, too.
  void serveDomains() {
    serve("\"computeDomains\": {\"enabled\": true}");
  }

  /// @param features the feature gates of the DRA driver, as JSON
  void serveClaims(String features) {
    serve("\"featureGates\": " + features);
  }

  /// @param dra what FleetPolicy `spec.dra` has beside the node selector, as JSON
  private void serve(String dra) {
    say(
        "pitcrew-agent",
        Map.of(
            "agent.json",
            DOCUMENT
                .formatted("none", "{\"enabled\": true}", JvmOnNode.HOOK)
                .replace("\"mps\", ", "\"dra\", ")
                .replace(
                    "\"clusterPolicy\": {",
                    "\"dra\": {\"nodeSelector\": {\"gpu-claims\": \"true\"}, %s}, \"clusterPolicy\": {"
                        .formatted(dra))));
  }

  /// The section of the metrics exporter in the ClusterPolicy, as JSON.
  void exporter(String section) {
    say(
        "pitcrew-agent",
        Map.of("agent.json", DOCUMENT.formatted("mixed", section, JvmOnNode.HOOK)));
  }

  /// The operator's label, or a user's opt-out.
  void deploy(String operand, boolean wanted) {
    label(DEPLOY + operand, String.valueOf(wanted));
  }

  void label(String key, String value) {
    String patch = "{\"metadata\": {\"labels\": {\"%s\": \"%s\"}}}".formatted(key, value);
    node.client()
        .nodes()
        .withName(node.node().name())
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  void labelGpuNode(String key, String value) {
    String patch = "{\"metadata\": {\"labels\": {\"%s\": \"%s\"}}}".formatted(key, value);
    gpuNode().patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  String gpuNodeLabel(String key) {
    return gpuNode().require().getMetadata().getLabels().getOrDefault(key, "");
  }

  private Resource<GenericKubernetesResource> gpuNode() {
    return node.client().genericKubernetesResources(GPU_NODES).withName(node.node().name());
  }

  /// The layout of MIG that the GPUNode says the node has; empty where it says none.
  String actual() {
    return status("/mig/actual");
  }

  /// What the status of the GPUNode says at a JSON pointer; empty where it says nothing.
  String status(String pointer) {
    return status().at(pointer).asText("");
  }

  /// The whole status of the GPUNode.
  String document() {
    return status().toPrettyString();
  }

  /// The status of a condition of the GPUNode; empty where it has none.
  String condition(String type) {
    for (JsonNode condition : status().path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText();
      }
    }
    return "";
  }

  /// The state of each part that the GPUNode has validated, by its name.
  Map<String, String> checks() {
    var states = new TreeMap<String, String>();
    status()
        .path("validation")
        .forEach(check -> states.put(check.path("name").asText(), check.path("state").asText()));
    return states;
  }

  private JsonNode status() {
    GenericKubernetesResource live =
        node.client().genericKubernetesResources(GPU_NODES).withName(node.node().name()).get();
    return live == null
        ? MissingNode.getInstance()
        : new ObjectMapper().<JsonNode>valueToTree(live).path("status");
  }

  /// Empty for a label that is not there.
  String label(String key) {
    var live = node.client().nodes().withName(node.node().name()).require();
    return Objects.requireNonNullElse(live.getMetadata().getLabels().get(key), "");
  }

  /// Reason and note of all Events that were emitted since the preparation.
  List<String> events() {
    return eventObjects()
        .map(event -> event.getReason() + ": " + event.getNote())
        .sorted()
        .toList();
  }

  private Stream<Event> eventObjects() {
    return node.client().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> "pitcrew.dev/agent".equals(event.getReportingController()));
  }

  /// Writes a ConfigMap.
  void say(String name, Map<String, String> data) {
    var map =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(NAMESPACE)
            .endMetadata()
            .withData(data);
    node.client().resource(map.build()).serverSideApply();
  }

  @Override
  public void close() {
    kill();
    KubernetesClient client = node.client();
    client.genericKubernetesResources(GPU_NODES).withName(node.node().name()).delete();
    eventObjects().toList().forEach(event -> client.resource(event).delete());
  }
}
