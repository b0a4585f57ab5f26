package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.ControllerLoop;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.gpu.HealthStore;
import dev.pitcrew.agent.mig.MigController;
import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.mig.MigReport;
import dev.pitcrew.agent.realnode.KillAgent;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.agent.status.plan.MigFacts;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.agent.watch.ClusterState;
import dev.pitcrew.agent.watch.HostState;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/// The two concerns of an agent that a change of MIG is the matter of: the one that divides and the
/// one that looks. What the cluster would say is said by hand. It notes whatever a user could have
/// been refused who has nothing to do with the change.
final class MigTestAgent implements AutoCloseable {
  static final String WANTED = "wanted";

  /// The GPU that no layout is about.
  static final int UNTOUCHED = 2;

  /// The name of the thread that divides.
  static final String THREAD = "mig";

  /// GPU 0 has instances that must go, GPU 1 a mode that must change.
  static final String BEFORE =
      """
      mode 0 1 1
      gi 0 7 0 0 1
      ci 0 7 0 0 0 1
      gi 0 12 0 5 1
      ci 0 12 0 0 0 1
      mode 1 0 0
      """;

  private static final String NAMESPACE = "gpu-operator";
  private static final String LAYOUTS =
      """
      version: v1
      mig-configs:
        wanted:
        - devices: [0, 1]
          mig-enabled: true
          mig-devices: {3g.20gb: 2}
      """;
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["mig"], "mig": {"busy": "Wait"},
       "clusterPolicy": {"migManager": {"enabled": true,
         "config": {"name": "mig-layouts", "default": "all-disabled"} %s}}}
      """;

  private final List<String> losses = new CopyOnWriteArrayList<>();
  private final NodeStore store;
  private final DriverController driver;
  private final ControllerLoop looking;
  private final ControllerLoop dividing;

  private MigTestAgent(
      Path host, InstantSource clock, MigLimits limits, Order order, CountDownLatch ended) {
    var place = place(host, clock);
    store = new NodeStore(() -> NodeState.UNKNOWN, now -> watched(now, ended));
    driver = new DriverController(place, new HealthStore(folder(place), place.host()), store::gpus);
    var controller =
        new MigController(place, store::mig, driver, limits, new HostPrograms(host).shell());
    store.update(now -> now.with(HostState.labelled(node(""))));
    order(order);
    looking = store.run("driver", Projections::driver, driver);
    dividing = store.run(THREAD, Projections::mig, controller);
  }

  /// What users say.
  ///
  /// @param manager more of ClusterPolicy `spec.migManager`, each with a comma before it
  /// @param clients the ConfigMap `clients` at its key, where there is one
  record Order(String manager, Optional<String> clients) {
    static final Order USUAL = new Order("", Optional.empty());
  }

  static MigTestAgent start(Path host, InstantSource clock, MigLimits limits) {
    return start(host, clock, limits, Order.USUAL);
  }

  static MigTestAgent start(Path host, InstantSource clock, MigLimits limits, Order order) {
    return new MigTestAgent(host, clock, limits, order, new CountDownLatch(1));
  }

  /// Divides in another process, which is killed.
  ///
  /// @param folder for what it takes
  /// @param place where it is killed, as [KillAgent] has it
  /// @return what it said
  static String killed(Path host, Path folder, String place)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-javaagent:" + KillAgent.jarIn(folder) + "=" + place,
                "-cp",
                System.getProperty("java.class.path"),
                MigTestAgent.class.getName(),
                host.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  /// Divides until it is over or a test kills it.
  public static void main(String[] arguments) throws InterruptedException {
    var ended = new CountDownLatch(1);
    var agent =
        new MigTestAgent(
            Path.of(arguments[0]), InstantSource.system(), MigLimits.USUAL, Order.USUAL, ended);
    ended.await();
    System.err.println("it was not killed: " + agent.facts() + agent.losses);
    Runtime.getRuntime().halt(0);
  }

  void order(Order order) {
    String document = DOCUMENT.formatted(order.manager());
    store.update(now -> {
      ClusterState cluster =
          now.cluster()
              .withNode(new WatchedObject.Present(node("")))
              .withConfigMap("mig-layouts", configMap("config.yaml", LAYOUTS))
              .withAgentConfig(configMap("agent.json", document));
      return now.with(
          order
              .clients()
              .map(text -> cluster.withConfigMap("clients", configMap("clients.yaml", text)))
              .orElse(cluster));
    });
  }

  /// As the concerns that write the Node and its GPUNode do it.
  void announce() {
    MigFacts facts = facts();
    store.update(now ->
        now.with(
            now.cluster()
                .withNode(new WatchedObject.Present(node(facts.phase().label())))
                .withGpuNode(new WatchedObject.Present(gpuNode(facts)))));
  }

  /// Looks at the clock again.
  void wake() {
    dividing.wake();
  }

  MigFacts facts() {
    return view().facts().orElseThrow();
  }

  MigReport view() {
    return store.now().mig();
  }

  /// What others lost meanwhile; nothing, as it should be.
  List<String> losses() {
    return List.copyOf(losses);
  }

  private NodeState watched(NodeState seen, CountDownLatch ended) {
    NodeState now = SettingsResolver.of(seen, NAMESPACE);
    now.offer()
        .flatMap(snapshot -> snapshot.inventory().map(it -> it.gpus()))
        .ifPresent(gpus -> note(now, gpus));
    now.migFacts()
        .filter(it -> it.phase() == Phase.SUCCESS || it.phase() == Phase.FAILED)
        .ifPresent(_ -> ended.countDown());
    return now;
  }

  private void note(NodeState now, List<Gpu> gpus) {
    Optional<Gpu> other = gpus.stream().filter(gpu -> gpu.index() == UNTOUCHED).findFirst();
    boolean isThere =
        other.filter(gpu -> now.offer().orElseThrow().health().of(gpu).isEmpty()).isPresent();
    if (!isThere) {
      losses.add("GPU %d was withdrawn: %s".formatted(UNTOUCHED, now.mig()));
    }
  }

  /// @param state of the last division, as the label reports it
  private static JsonNode node(String state) {
    return object(
        """
        {"metadata": {"name": "node-a", "labels": {
          "nvidia.com/gpu.deploy.mig-manager": "true", "nvidia.com/mig.config": "%s",
          "nvidia.com/mig.config.state": "%s"}}}
        """
            .formatted(WANTED, state));
  }

  private static JsonNode gpuNode(MigFacts facts) {
    ObjectMapper mapper = new ObjectMapper();
    var gpuNode = mapper.createObjectNode().put("apiVersion", "pitcrew.dev/v1alpha1");
    gpuNode
        .put("kind", "GPUNode")
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "MIGConfigured")
        .put("status", "False")
        .put("reason", facts.reason())
        .put("message", facts.message())
        .put("lastTransitionTime", "2026-11-22T12:00:00Z");
    gpuNode.putObject("metadata").put("name", "node-a");
    return gpuNode;
  }

  private static WatchedObject configMap(String key, String text) {
    ObjectMapper mapper = new ObjectMapper();
    var data = mapper.createObjectNode();
    data.set("data", mapper.valueToTree(Map.of(key, text)));
    return new WatchedObject.Present(data);
  }

  private static JsonNode object(String json) {
    try {
      return new ObjectMapper().readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StateFolder folder(AgentContext place) {
    return new StateFolder(place.folders().state());
  }

  private static AgentContext place(Path host, InstantSource clock) {
    return new AgentContext(
        new AgentContext.Identity("node-a", "agent-pod", NAMESPACE, "pitcrew-agent"),
        Credentials.of(URI.create("https://127.0.0.1:1"), host),
        new HostRoot(host),
        new AgentContext.Folders(
            host.resolve("kubelet"),
            AgentContext.KubeletRoot.of(host.resolve("kubelet")),
            host.resolve("cdi"),
            host.resolve("var/lib/pitcrew"),
            host.resolve("validations")),
        Optional.empty(),
        new BindAddress.Listen("127.0.0.1", 0),
        clock);
  }

  @Override
  public void close() {
    dividing.close();
    looking.close();
    driver.close();
  }
}
