package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.operator.upgrade.UpgradeMarks;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Simulated nodes whose driver is upgraded, and how many of them are out of service.
final class UpgradeFleet implements AutoCloseable {
  static final String STATE = "nvidia.com/gpu-driver-upgrade-state";
  private static final String ENABLED = "nvidia.com/gpu-driver-upgrade-enabled";
  static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String PREFIX = "upgraded";
  private static final NodeTemplate TEMPLATE =
      NodeTemplate.gpu(PREFIX).withAllocatable("nvidia.com/gpu", "8");

  private final KubernetesClient client;
  private final FleetWatch watch;
  private final Map<String, Map<String, @Nullable String>> formerLabels = new HashMap<>();
  private Instant begin = Instant.now();
  private int size;

  /// Without a node as yet.
  UpgradeFleet(KubernetesClient client) {
    this.client = client;
    this.watch = new FleetWatch(client);
  }

  /// Creates nodes with eight GPUs each.
  void grow(int nodes) {
    size = nodes;
    IntStream.rangeClosed(1, size).forEach(this::join);
  }

  /// From here on a test counts, and changes nodes.
  void begin() {
    watch.begin();
    formerLabels.clear();
    begin = Instant.now();
  }

  /// Undoes what a test did to nodes.
  void restore() {
    var names = IntStream.rangeClosed(1, size).mapToObj(UpgradeFleet::name).toList();
    var present = states().keySet();
    formerLabels.keySet().retainAll(present);
    formerLabels.forEach(
        (node, labels) -> labels.forEach((key, value) -> setLabel(node, key, json(value))));
    formerLabels.clear();
    IntStream.rangeClosed(1, size).filter(it -> !present.contains(name(it))).forEach(this::join);
    present.stream().filter(it -> !names.contains(it)).forEach(this::leave);
    removePodsWithoutNode(names);
  }

  /// There is no kubelet that ends them.
  private void removePodsWithoutNode(List<String> names) {
    client.pods().inNamespace(Scene.NAMESPACE).list().getItems().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .filter(pod -> pod.getSpec().getNodeName().startsWith(PREFIX))
        .filter(pod -> !names.contains(pod.getSpec().getNodeName()))
        .forEach(pod -> client.resource(pod).withGracePeriod(0).delete());
  }

  /// One more node.
  void join(int number) {
    client.resource(TEMPLATE.node(number)).create();
  }

  /// The node of this name goes with everything on it.
  void leave(String node) {
    client.nodes().withName(node).delete();
  }

  /// Sets a label; the value is JSON, and null removes it. Returns when the watch has reported the
  /// change, so that no later answer is older.
  void label(String node, String key, String value) {
    if (!key.equals(STATE)) {
      formerLabels
          .computeIfAbsent(node, _ -> new HashMap<>())
          .putIfAbsent(key, node(node).getMetadata().getLabels().get(key));
    }
    setLabel(node, key, value);
  }

  private void setLabel(String node, String key, String value) {
    var written =
        client
            .nodes()
            .withName(node)
            .patch(
                PatchContext.of(PatchType.JSON_MERGE),
                "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(key, value));
    await().atMost(LIMIT).until(() -> watch.hasSeen(written));
  }

  private static String json(@Nullable String text) {
    return text == null ? "null" : "\"" + text + "\"";
  }

  static String name(int number) {
    return PREFIX + "-" + number;
  }

  /// The most nodes that were cordoned at the same time.
  int mostCordoned() {
    return watch.mostCordoned();
  }

  /// The most nodes that were cordoned or not Ready at the same time.
  int mostDown() {
    return watch.mostDown();
  }

  Node node(String name) {
    return client.nodes().withName(name).require();
  }

  Map<String, String> states() {
    return states(client.nodes().list().getItems());
  }

  private static Map<String, String> states(List<Node> nodes) {
    return nodes.stream()
        .filter(node -> node.getMetadata().getName().startsWith(PREFIX))
        .collect(
            Collectors.toMap(
                node -> node.getMetadata().getName(),
                node -> node.getMetadata().getLabels().getOrDefault(STATE, ""),
                (one, _) -> one,
                TreeMap::new));
  }

  /// Waits until all nodes run the driver of this version and are done.
  void awaitDriver(String version) {
    awaitNow("all nodes have driver " + version, it -> it.isDone(version, it.states().keySet()));
  }

  /// Waits until these nodes run the driver of this version and are done.
  void awaitDriver(String version, Set<String> nodes) {
    awaitNow(nodes + " have driver " + version, it -> it.isDone(version, nodes));
  }

  /// Waits until no node wants another driver than it has.
  void awaitDone() {
    awaitNow(
        "all nodes are done", it -> it.states().values().stream().allMatch("upgrade-done"::equals));
  }

  /// Waits until a fleet has no driver, and its nodes report no upgrade.
  void awaitNoDriver() {
    awaitNow(
        "no node has a driver",
        it -> it.images().isEmpty() && it.states().values().stream().allMatch(String::isEmpty));
  }

  /// The watches say when it is worth asking the API server, whose answer counts.
  private void awaitNow(String what, Predicate<Sight> condition) {
    await(what)
        .atMost(LIMIT)
        .until(() ->
            condition.test(new Sight(states(watch.nodes()), images(watch.drivers())))
                && condition.test(new Sight(states(), drivers())));
  }

  /// State and driver image of each node.
  private record Sight(Map<String, String> states, Map<String, String> images) {
    boolean isDone(String version, Set<String> nodes) {
      return nodes.stream()
          .allMatch(node ->
              "upgrade-done".equals(states.get(node))
                  && images.getOrDefault(node, "").contains(version));
    }
  }

  /// No node is out of service, and nothing is noted on any but when its upgrade was over.
  void assertClean() {
    for (var name : states().keySet()) {
      var node = node(name);
      assertThat(node.getSpec().getUnschedulable()).as("%s is cordoned", name).isNotEqualTo(true);
      assertThat(node.getMetadata().getAnnotations().keySet())
          .as(name)
          .filteredOn(it -> it.contains("driver-upgrade"))
          .allMatch(it -> UpgradeMarks.isLasting(it) || it.equals(ENABLED));
    }
  }

  /// Waits until some node is in this state.
  String awaitSome(String state) {
    return await("some node is " + state)
        .atMost(LIMIT)
        .until(
            () ->
                states(watch.nodes()).entrySet().stream()
                    .filter(it -> it.getValue().equals(state))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow()
        .getKey();
  }

  void awaitState(String node, String state) {
    await(node + " is " + state)
        .atMost(LIMIT)
        .until(() -> states(watch.nodes()).get(node), state::equals);
  }

  /// The driver image of each node of the fleet.
  Map<String, String> drivers() {
    return images(new DriverPods(client).all());
  }

  private static Map<String, String> images(List<Pod> pods) {
    return pods.stream()
        .filter(pod -> pod.getSpec().getNodeName().startsWith(PREFIX))
        .collect(
            Collectors.toMap(
                pod -> pod.getSpec().getNodeName(),
                pod -> pod.getSpec().getContainers().getFirst().getImage(),
                (one, _) -> one,
                TreeMap::new));
  }

  Optional<Pod> driver(String node) {
    return new DriverPods(client)
        .all().stream().filter(it -> node.equals(it.getSpec().getNodeName())).findFirst();
  }

  /// What Events of upgrades have said about a node, or about a DaemonSet, since the test began.
  List<String> events(String name) {
    return client.events().v1().events().inAnyNamespace().list().getItems().stream()
        .filter(event -> event.getReason().startsWith("GPUDriver"))
        .filter(event -> !Instant.parse(event.getEventTime().getTime()).isBefore(begin))
        .filter(event -> event.getRegarding().getName().equals(name))
        .map(Event::getNote)
        .toList();
  }

  @Override
  public void close() {
    try (watch) {
      client.events().v1().events().inNamespace("default").delete();
    }
  }
}
