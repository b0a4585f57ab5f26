package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.cluster.TestAccount;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.gpu.DriverReleaseFile;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.api.Crds;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.testbed.FreePorts;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedHost;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// A node with simulated GPUs, what the operator and a user would write about it, and its agent.
final class RunningAgent implements AutoCloseable {
  static final String NODE = "node-a";
  static final String CONFIGS = "plugin-configs";
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "devicePlugin"],
       "clusterPolicy": {
         "devicePlugin": {"enabled": true, "config": {"name": "plugin-configs", "default": "plain"}},
         "gfd": {"enabled": true}, "mig": {"strategy": "single"}}}
      """;
  private static final ResourceDefinitionContext GPU_NODES =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("GPUNode")
          .withPlural("gpunodes")
          .withNamespaced(false)
          .build();

  private final KubernetesClient client;
  private final TestAccount account;
  private final Path folder;
  private final SimulatedNode gpus;
  private final int metricsPort = FreePorts.one();
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
  private Optional<AgentProcess> process = Optional.empty();
  private Optional<TestKubelet> kubelet = Optional.empty();

  private RunningAgent(
      ControlPlane plane, String namespace, Path folder, SimulatedNodeOptions options) {
    this.client = plane.client();
    this.folder = folder;
    this.account = TestAccount.create(plane, namespace, directory("account"));
    this.gpus = SimulatedNode.create(directory("gpus"), options);
  }

  /// Everything but the agent.
  static RunningAgent prepare(ControlPlane plane, String namespace, Path folder) {
    return prepare(plane, namespace, folder, SimulatedNodeOptions.of("h100").withGpus(4));
  }

  /// As the other, on a node of one's own choice.
  static RunningAgent prepare(
      ControlPlane plane, String namespace, Path folder, SimulatedNodeOptions options) {
    var agent = new RunningAgent(plane, namespace, folder, options);
    agent.define();
    agent.client.resource(agent.node()).create();
    agent.say("pitcrew-agent", Map.of("agent.json", DOCUMENT));
    agent.configure("version: v1");
    return agent;
  }

  /// The kubelet of the node; it ends with the agent.
  TestKubelet startKubelet() throws IOException {
    kubelet = Optional.of(TestKubelet.start(kubeletFolder()));
    return kubelet.get();
  }

  RunningAgent start() throws IOException {
    return startAt(account.atServer());
  }

  /// With an API server that does not answer.
  RunningAgent startAlone() throws IOException {
    return startAt(account.at(URI.create("https://127.0.0.1:1")));
  }

  /// By another address of the API server.
  RunningAgent startAt(URI address) throws IOException {
    return startAt(account.at(address));
  }

  private RunningAgent startAt(Credentials credentials) throws IOException {
    AgentProcess started =
        AgentProcess.look(
            new AgentContext(
                new AgentContext.Identity(NODE, "agent-pod", account.namespace(), "pitcrew-agent"),
                credentials,
                new HostRoot(gpus.hostRoot()),
                new AgentContext.Folders(
                    kubeletFolder(),
                    AgentContext.KubeletRoot.of(kubeletFolder()),
                    cdiFolder(),
                    stateFolder(),
                    validations()),
                Optional.empty(),
                new BindAddress.Listen("127.0.0.1", metricsPort),
                () -> Instant.now().plus(ahead.get())));
    started.act();
    process = Optional.of(started);
    return this;
  }

  /// Moves the agent's clock; what waits sees it when it looks again.
  void pass(Duration time) {
    ahead.updateAndGet(time::plus);
  }

  NodeState state() {
    return process.orElseThrow().state();
  }

  /// Gives the agent these functions, as FleetPolicy does.
  void provide(String functions) {
    say(
        "pitcrew-agent",
        Map.of("agent.json", DOCUMENT.replace("\"labels\", \"devicePlugin\"", functions)));
  }

  /// What a kubelet writes once it was notified.
  void allocatable(String resource, int count) {
    devices("allocatable", resource, count);
  }

  /// As [#allocatable], of all that the kubelet knows.
  void capacity(String resource, int count) {
    devices("capacity", resource, count);
  }

  private void devices(String field, String resource, int count) {
    String patch = "{\"status\": {\"%s\": {\"%s\": \"%d\"}}}".formatted(field, resource, count);
    client
        .nodes()
        .withName(NODE)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  Path stateFolder() {
    return directory("state");
  }

  Path cdiFolder() {
    return directory("cdi");
  }

  /// As its pod ends.
  void leave() throws InterruptedException {
    process.orElseThrow().leave();
    stop();
  }

  void stop() {
    process.ifPresent(AgentProcess::close);
    process = Optional.empty();
  }

  SimulatedNode gpus() {
    return gpus;
  }

  TestAccount account() {
    return account;
  }

  String user() {
    return account.user();
  }

  Path validations() {
    return directory("validations");
  }

  Path kubeletFolder() {
    return directory("kubelet");
  }

  /// What the agent reports to the program that waits for the driver.
  DriverReleaseFile release() {
    return new DriverReleaseFile(validations());
  }

  String bootId() {
    return HostFacts.bootId(new HostRoot(gpus.hostRoot()));
  }

  /// What the operator configures for this agent in place of the usual.
  void provideDocument(String document) {
    say("pitcrew-agent", Map.of("agent.json", document));
  }

  int metricsPort() {
    return metricsPort;
  }

  /// The one configuration of device plugins.
  void configure(String yaml) {
    say(CONFIGS, Map.of("plain", yaml));
  }

  /// The layouts of MIG that a policy may name.
  void layouts(String yaml) {
    say("mig-layouts", Map.of("config.yaml", yaml));
  }

  void label(String key, String value) {
    mark("labels", key, "\"" + value + "\"");
  }

  void unlabel(String key) {
    mark("labels", key, "null");
  }

  void annotate(String key, String value) {
    mark("annotations", key, "\"" + value + "\"");
  }

  private void mark(String field, String key, String value) {
    String patch = "{\"metadata\": {\"%s\": {\"%s\": %s}}}".formatted(field, key, value);
    client.nodes().withName(NODE).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  Node liveNode() {
    return client.nodes().withName(NODE).require();
  }

  Map<String, String> labels() {
    return liveNode().getMetadata().getLabels();
  }

  /// The GPUNode as JSON; an empty object while there is none.
  JsonNode gpuNode() {
    GenericKubernetesResource live =
        client.genericKubernetesResources(GPU_NODES).withName(NODE).get();
    ObjectMapper mapper = new ObjectMapper();
    return live == null ? mapper.createObjectNode() : mapper.valueToTree(live);
  }

  /// What was reported about the node.
  List<Event> events() {
    return client.events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> NODE.equals(event.getRegarding().getName()))
        .toList();
  }

  /// What a condition says to people; an empty text while nothing is said.
  String message(String type) {
    for (JsonNode condition : gpuNode().at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("message").asText();
      }
    }
    return "";
  }

  /// `True`, `False` or `Unknown` with its reason; an empty text while nothing is said.
  String condition(String type) {
    for (JsonNode condition : gpuNode().at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText() + " " + condition.path("reason").asText();
      }
    }
    return "";
  }

  /// Writes a ConfigMap.
  void say(String name, Map<String, String> data) {
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(account.namespace())
                .endMetadata()
                .withData(data)
                .build())
        .serverSideApply();
  }

  private Node node() {
    SimulatedHost host = SimulatedHost.named(gpus.options().host());
    return new NodeBuilder()
        .withNewMetadata()
        .withName(NODE)
        .addToLabels("nvidia.com/gpu.deploy.device-plugin", "true")
        .addToLabels("nvidia.com/gpu.deploy.gpu-feature-discovery", "true")
        .addToLabels(host.labels())
        .endMetadata()
        .withNewSpec()
        .withProviderID(host.provider().isEmpty() ? null : host.provider())
        .endSpec()
        .build();
  }

  private void define() {
    byte[] yaml = Crds.yaml("pitcrew.dev_gpunodes.yaml").getBytes(StandardCharsets.UTF_8);
    client.load(new ByteArrayInputStream(yaml)).serverSideApply();
  }

  private Path directory(String name) {
    try {
      return Files.createDirectories(folder.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    stop();
    if (kubelet.isPresent()) {
      kubelet.get().close();
    }
  }
}
