package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.cluster.Sighting;
import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.state.StateFolder;
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
  private final Board board;
  private final FollowDriver driver;
  private final CheckCuda check;
  private final List<ConcernLoop> loops;

  private CheckingAgent(Path host, String policy) {
    InstantSource clock = () -> Instant.now().plus(ahead.get());
    var place = place(host, clock);
    var state = new StateFolder(place.folders().state());
    board = new Board(() -> Situation.UNKNOWN, this::watched);
    driver = new FollowDriver(place, board, new HealthMemory(state, place.host()), () -> {});
    check = new CheckCuda(place, board, driver, state);
    say(policy);
    loops =
        List.of(
            ConcernLoop.start("driver", board, driver),
            ConcernLoop.start("device-nodes", board, new KeepDeviceNodes(place, board)),
            ConcernLoop.start("cuda", board, check));
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
    board.change(now ->
        now.with(HostView.labelled(node))
            .with(
                now.cluster()
                    .withNode(new Sighting.Present(node))
                    .withAgentConfig(new Sighting.Present(data))));
  }

  /// Lets time pass.
  void pass(Duration time) {
    ahead.updateAndGet(before -> before.plus(time));
    loops.getLast().wake();
  }

  Optional<CudaVerdict> verdict() {
    return board.now().cuda();
  }

  /// All that was said so far, each once.
  List<String> verdicts() {
    return List.copyOf(verdicts);
  }

  FollowDriver driver() {
    return driver;
  }

  private Situation watched(Situation seen) {
    Situation now = Conclusion.of(seen, NAMESPACE);
    now.cuda()
        .map(CudaVerdict::message)
        .filter(message -> verdicts.isEmpty() || !verdicts.getLast().equals(message))
        .ifPresent(verdicts::add);
    return now;
  }

  private static AgentPlace place(Path host, InstantSource clock) {
    return new AgentPlace(
        new AgentPlace.Identity("node-a", "agent-pod", NAMESPACE, "pitcrew-agent"),
        Credentials.of(URI.create("https://127.0.0.1:1"), host),
        new HostRoot(host),
        new AgentPlace.Folders(
            host.resolve("kubelet"),
            host.resolve("cdi"),
            host.resolve("var/lib/pitcrew"),
            host.resolve("validations")),
        Optional.empty(),
        new BindAddress.Listen("127.0.0.1", 0),
        clock);
  }

  @Override
  public void close() {
    loops.reversed().forEach(ConcernLoop::close);
    check.close();
    driver.close();
  }
}
