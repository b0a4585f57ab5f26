package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.ControllerLoop;
import dev.pitcrew.agent.cuda.CudaController;
import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.gpu.HealthStore;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.agent.watch.HostState;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.hardware.HostRoot;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/// The concerns of an agent that the check by CUDA is the matter of. What the cluster would say is
/// said by hand.
final class CheckingAgent implements AutoCloseable {
  private static final String NAMESPACE = "gpu-operator";
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["validation"], "clusterPolicy": %s}
      """;

  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
  private final List<String> verdicts = new CopyOnWriteArrayList<>();
  private final NodeStore store;
  private final DriverController driver;
  private final CudaController check;
  private final List<ControllerLoop> loops;

  private CheckingAgent(Path host, String policy) {
    InstantSource clock = () -> Instant.now().plus(ahead.get());
    var place = place(host, clock);
    var state = new StateFolder(place.folders().state());
    store = new NodeStore(() -> NodeState.UNKNOWN, this::watched);
    driver = new DriverController(place, new HealthStore(state, place.host()), store::gpus);
    check = new CudaController(place, store::cuda, driver, state);
    say(policy);
    loops =
        List.of(
            store.run("driver", Projections::driver, driver),
            store.run(
                "device-nodes",
                Projections::deviceNodes,
                new DeviceNodeController(place, store::deviceNodes)),
            store.run("cuda", Projections::cuda, check));
  }

  /// @param policy the `spec` of the ClusterPolicy
  static CheckingAgent start(Path host, String policy) {
    return new CheckingAgent(host, policy);
  }

  /// What users say from now on.
  void say(String policy) {
    var data = MAPPER.createObjectNode();
    data.set("data", MAPPER.valueToTree(Map.of("agent.json", DOCUMENT.formatted(policy))));
    var node = MAPPER.createObjectNode();
    node.putObject("metadata")
        .put("name", "node-a")
        .putObject("labels")
        .put("nvidia.com/gpu.deploy.operator-validator", "true");
    store.update(now ->
        now.with(HostState.labelled(node))
            .with(
                now.cluster()
                    .withNode(new WatchedObject.Present(node))
                    .withAgentConfig(new WatchedObject.Present(data))));
  }

  /// Lets time pass.
  void pass(Duration time) {
    ahead.updateAndGet(before -> before.plus(time));
    loops.getLast().wake();
  }

  Optional<CudaVerdict> verdict() {
    return store.now().cuda();
  }

  /// All that was said so far, each once.
  List<String> verdicts() {
    return List.copyOf(verdicts);
  }

  DriverController driver() {
    return driver;
  }

  private NodeState watched(NodeState seen) {
    NodeState now = SettingsResolver.of(seen, NAMESPACE);
    now.cuda()
        .map(CudaVerdict::message)
        .filter(message -> verdicts.isEmpty() || !verdicts.getLast().equals(message))
        .ifPresent(verdicts::add);
    return now;
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
    loops.reversed().forEach(ControllerLoop::close);
    check.close();
    driver.close();
  }
}
