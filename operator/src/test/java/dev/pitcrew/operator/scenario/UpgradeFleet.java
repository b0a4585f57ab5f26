package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Simulated nodes whose driver is upgraded, and an eye on how many of them are out of service.
final class UpgradeFleet implements AutoCloseable {
  static final String STATE = "nvidia.com/gpu-driver-upgrade-state";
  static final String WORKLOAD = "default";
  static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String PREFIX = "upgraded";
  private static final NodeTemplate TEMPLATE =
      NodeTemplate.gpu(PREFIX).withAllocatable("nvidia.com/gpu", "8");
  private static final Duration POLL = Duration.ofMillis(50);

  private final KubernetesClient client;
  private final Map<String, Boolean> cordoned = new HashMap<>();
  private final Map<String, Boolean> down = new HashMap<>();
  private final Watch watch;
  private int mostCordoned;
  private int mostDown;

  /// Without a node as yet.
  UpgradeFleet(KubernetesClient client) {
    this.client = client;
    this.watch = client.nodes().watch(new Eye());
  }

  /// Creates nodes with eight GPUs each.
  void grow(int size) {
    IntStream.rangeClosed(1, size).forEach(this::join);
  }

  /// One more node.
  void join(int number) {
    client.resource(TEMPLATE.node(number)).create();
  }

  /// The node of this name goes with everything on it.
  void leave(String node) {
    client.nodes().withName(node).delete();
  }

  /// Sets a label; the value is JSON, null takes it off.
  void label(String node, String key, String value) {
    patch(node, "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(key, value));
  }

  private void patch(String node, String patch) {
    client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  static String name(int number) {
    return PREFIX + "-" + number;
  }

  /// The most nodes that were cordoned at the same time.
  synchronized int mostCordoned() {
    return mostCordoned;
  }

  /// The most nodes that were cordoned or not Ready at the same time.
  synchronized int mostDown() {
    return mostDown;
  }

  Node node(String name) {
    return client.nodes().withName(name).require();
  }

  Map<String, String> states() {
    var states = new TreeMap<String, String>();
    client.nodes().list().getItems().stream()
        .filter(node -> node.getMetadata().getName().startsWith(PREFIX))
        .forEach(node ->
            states.put(
                node.getMetadata().getName(),
                node.getMetadata().getLabels().getOrDefault(STATE, "")));
    return states;
  }

  /// Waits until all nodes run the driver of this version and are done.
  void awaitDriver(String version) {
    await("all nodes have driver " + version)
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() ->
            states().values().stream().allMatch("upgrade-done"::equals)
                && has(version, states().keySet()));
  }

  /// Waits until these nodes run the driver of this version and are done.
  void awaitDriver(String version, Set<String> nodes) {
    await(nodes + " have driver " + version)
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() ->
            nodes.stream().allMatch(node -> "upgrade-done".equals(states().get(node)))
                && has(version, nodes));
  }

  private boolean has(String version, Set<String> nodes) {
    var drivers = drivers();
    return nodes.stream().allMatch(node -> drivers.getOrDefault(node, "").contains(version));
  }

  /// Waits until no node wants another driver than it has.
  void awaitDone() {
    await("all nodes are done")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() -> states().values().stream().allMatch("upgrade-done"::equals));
  }

  /// No node is out of service, and nothing is noted on any but when its upgrade was over.
  void assertClean() {
    for (var name : states().keySet()) {
      var node = node(name);
      assertThat(node.getSpec().getUnschedulable()).as("%s is cordoned", name).isNotEqualTo(true);
      assertThat(node.getMetadata().getAnnotations().keySet())
          .as(name)
          .filteredOn(it -> it.contains("driver-upgrade"))
          .isSubsetOf("pitcrew.dev/driver-upgrade-since", "nvidia.com/gpu-driver-upgrade-enabled");
    }
  }

  /// Waits until some node is in this state.
  String awaitSome(String state) {
    return await("some node is " + state)
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(
            () ->
                states().entrySet().stream().filter(it -> it.getValue().equals(state)).findFirst(),
            Optional::isPresent)
        .orElseThrow()
        .getKey();
  }

  void awaitState(String node, String state) {
    await(node + " is " + state)
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() -> states().get(node), state::equals);
  }

  /// The driver image of each node of the fleet.
  Map<String, String> drivers() {
    return new DriverPods(client)
        .all().stream()
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

  /// The driver manager of a node's driver pod runs, and says on the Node what it waits for.
  void managerWaits(String node, String words) {
    patch(
        node,
        "{\"metadata\": {\"annotations\": {\"pitcrew.dev/driver-manager-waits-for\": \"%s\"}}}"
            .formatted(words));
    manager(node, "{\"state\": {\"running\": {\"startedAt\": \"2026-11-22T08:00:00Z\"}}");
  }

  /// It has ended with these words, and the kubelet will start it again.
  void managerRefuses(String node, String words) {
    manager(
        node,
        """
        {"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s restarting"}},
         "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "message": "%s"}}\
        """
            .formatted(words));
  }

  private void manager(String node, String state) {
    client
        .resource(driver(node).orElseThrow())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"initContainerStatuses": [%s, "name": "k8s-driver-manager", "image": "x",
              "imageID": "x", "ready": false, "restartCount": 2}]}}
            """
                .formatted(state));
  }

  /// A Deployment whose pods hold a GPU each.
  void train(String name, int replicas) {
    train(name, replicas, "{}", "[]");
  }

  /// The same with one pod that runs on this node, whether it is cordoned or not.
  void trainInSpiteOfCordons(String name, String node) {
    train(name, 1, on(node), "[{key: node.kubernetes.io/unschedulable}]");
  }

  /// The same with one pod that runs on this node and on no other, and that may not go.
  void pinTo(String node) {
    train("pinned", 1, on(node), "[]");
    pin("pinned");
  }

  /// A budget that lets one pod of a Deployment go at a time.
  void loosen(String name) {
    budget(name, 1);
  }

  private static String on(String node) {
    return "{kubernetes.io/hostname: " + node + "}";
  }

  private void train(String name, int replicas, String nodeSelector, String tolerations) {
    create(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: %1$s, namespace: default}
        spec:
          replicas: %2$d
          selector: {matchLabels: {app: %1$s}}
          template:
            metadata: {labels: {app: %1$s}, annotations: {testbed.pitcrew.dev/starts-after: 20ms}}
            spec:
              terminationGracePeriodSeconds: 0
              nodeSelector: %3$s
              tolerations: %4$s
              containers:
              - {name: c, image: example.com/train:1, resources: {limits: {nvidia.com/gpu: 1}}}
        """
            .formatted(name, replicas, nodeSelector, tolerations));
    awaitRunning(name, replicas);
  }

  void awaitRunning(String name, int replicas) {
    await(name + " runs")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .until(() ->
            Objects.requireNonNullElse(
                    client
                        .apps()
                        .deployments()
                        .inNamespace(WORKLOAD)
                        .withName(name)
                        .get()
                        .getStatus()
                        .getReadyReplicas(),
                    0)
                == replicas);
  }

  List<Pod> pods(String name) {
    return client.pods().inNamespace(WORKLOAD).withLabel("app", name).list().getItems();
  }

  /// A budget that lets no pod of a Deployment go.
  void pin(String name) {
    budget(name, 0);
  }

  private void budget(String name, int unavailable) {
    create(
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: %1$s-budget, namespace: default}
        spec: {maxUnavailable: %2$d, selector: {matchLabels: {app: %1$s}}}
        """
            .formatted(name, unavailable));
  }

  void unpin() {
    client.policy().v1().podDisruptionBudget().inNamespace(WORKLOAD).delete();
  }

  /// What Events of upgrades say about a node, or about a DaemonSet.
  List<String> told(String name) {
    return client.events().v1().events().inAnyNamespace().list().getItems().stream()
        .filter(event -> event.getReason().startsWith("GPUDriver"))
        .filter(event -> event.getRegarding().getName().equals(name))
        .map(Event::getNote)
        .toList();
  }

  private void create(String yaml) {
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
  }

  @Override
  public void close() {
    try (watch) {
      unpin();
      client.apps().deployments().inNamespace(WORKLOAD).delete();
      client.pods().inNamespace(WORKLOAD).withGracePeriod(0).delete();
      client.events().v1().events().inNamespace("default").delete();
    }
  }

  private synchronized void saw(Node node, boolean isThere) {
    boolean isCordoned = isThere && Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    cordoned.put(node.getMetadata().getName(), isCordoned);
    down.put(node.getMetadata().getName(), isCordoned || (isThere && !isReady(node)));
    mostCordoned = Math.max(mostCordoned, count(cordoned));
    mostDown = Math.max(mostDown, count(down));
  }

  private static int count(Map<String, Boolean> nodes) {
    return (int) nodes.values().stream().filter(it -> it).count();
  }

  private static boolean isReady(Node node) {
    return node.getStatus().getConditions().stream()
        .anyMatch(it -> "Ready".equals(it.getType()) && "True".equals(it.getStatus()));
  }

  private final class Eye implements Watcher<Node> {
    @Override
    public void eventReceived(Action action, Node node) {
      saw(node, action != Action.DELETED);
    }

    @Override
    public void onClose(WatcherException cause) {
      throw new IllegalStateException("nobody watches the nodes any more", cause);
    }
  }
}
