package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.bench.KubeletLog.Said;
import dev.pitcrew.testbed.demo.InstalledCluster;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListSet;

/// GPUs are divided by MIG and made whole again, by the label of their Node.
///
/// @param trials with one GPU, the others being offered meanwhile; with all of them there is one
record MigChanges(AgentUnderTest agent, int trials) {
  private static final String GPU = "nvidia.com/gpu";
  private static final String SLICE = "nvidia.com/mig-3g.40gb";
  private static final String LABEL = "nvidia.com/mig.config";
  private static final String STATE = "nvidia.com/mig.config.state";
  private static final String LAYOUTS = "mig-layouts";
  private static final String NAMESPACE = "gpu-operator";
  private static final String SEVERAL_GPUS = "half-of-all";
  private static final String ONE_GPU = "one-gpu";
  private static final String WHOLE = "all-disabled";
  private static final int SLICES = 2;
  private static final int DIVIDED = 3;
  private static final int OTHERS = InstalledCluster.GPUS - 1;

  /// @param divided one GPU, from before the label is written until the kubelet has its slices
  /// @param whole the same back, until the kubelet has the whole GPU
  /// @param eachOfAll all GPUs at once, the time for one of them
  /// @param lists that the kubelet took of whole GPUs while one was changed
  /// @param lostInLists the most GPUs that such a list lacked beside the one that was changed
  /// @param lostInNode the most that the Node's allocatable number lacked
  record Changed(
      Latencies divided,
      Latencies whole,
      Latencies eachOfAll,
      int lists,
      int lostInLists,
      int lostInNode) {}

  /// Switches the function on, and leaves all GPUs whole.
  Changed changes() {
    var counts = new ConcurrentSkipListSet<Integer>();
    switchOn();
    var mark = agent.kubeletLog().end();
    var divided = new ArrayList<Duration>();
    var whole = new ArrayList<Duration>();
    try (var _ = client().nodes().withName(node()).inform(new Listener(counts))) {
      for (int trial = 0; trial < trials; trial++) {
        divided.add(slices(ONE_GPU, SLICES));
        whole.add(whole());
      }
    }
    var lists = agent.kubeletLog().since(mark);
    var together = slices(SEVERAL_GPUS, SLICES * InstalledCluster.GPUS);
    whole();
    return new Changed(
        new Latencies(divided),
        new Latencies(whole),
        new Latencies(List.of(together.dividedBy(InstalledCluster.GPUS))),
        lists.size(),
        lists.stream().mapToInt(MigChanges::lost).max().orElse(0),
        counts.isEmpty() ? OTHERS : Math.max(0, OTHERS - counts.first()));
  }

  /// How many of the GPUs that stay unchanged are missing after what the kubelet said.
  static int lost(Said said) {
    return said.isLoss() ? OTHERS : said.healthy().map(it -> Math.max(0, OTHERS - it)).orElse(0);
  }

  private Duration slices(String layout, int count) {
    return change(layout, agent.kubeletLog(SLICE), count);
  }

  private Duration whole() {
    return change(WHOLE, agent.kubeletLog(), InstalledCluster.GPUS);
  }

  /// Until the kubelet has so many devices; then until the agent is done with it.
  private Duration change(String layout, KubeletLog log, int devices) {
    var mark = log.end();
    var begin = Instant.now();
    label(LABEL, layout);
    Await.orFail(
        AgentUnderTest.LIMIT,
        "the GPUs were not divided as " + layout,
        () -> log.since(mark).stream().anyMatch(it -> it.isList(devices)));
    var end = log.since(mark).stream().filter(it -> it.isList(devices)).findFirst().orElseThrow();
    Await.orFail(AgentUnderTest.LIMIT, "the change did not succeed", () -> isSettled(layout));
    return Duration.between(begin, end.time());
  }

  private boolean isSettled(String layout) {
    var live = client().genericKubernetesResources(Definitions.GPU_NODE).withName(node()).get();
    return live != null
        && layout.equals(live.get("status", "mig", "actual"))
        && "success".equals(liveNode().getMetadata().getLabels().get(STATE));
  }

  private void switchOn() {
    client()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(LAYOUTS)
                .endMetadata()
                .addToData("config.yaml", layouts())
                .build())
        .create();
    patch(
        Definitions.FLEET_POLICY,
        "fleet",
        """
        {"spec":{"agent":{"functions":["labels","devicePlugin","cdi","runtime","mps","validation","nodeStatus","mig"]}}}\
        """);
    patch(
        Definitions.CLUSTER_POLICY,
        "cluster-policy",
        "{\"spec\":{\"mig\":{\"strategy\":\"mixed\"},\"migManager\":{\"config\":{\"name\":\"%s\"}}}}"
            .formatted(LAYOUTS));
    label("nvidia.com/gpu.deploy.mig-manager", "true");
    label(LABEL, WHOLE);
    Await.orFail(AgentUnderTest.LIMIT, "the agent does not divide", () -> isSettled(WHOLE));
    // Another strategy makes the agent register again, which the Node shows some seconds later.
    Await.orFail(
        AgentUnderTest.LIMIT,
        "the Node does not have all GPUs",
        () -> allocatable(liveNode()) == InstalledCluster.GPUS);
  }

  private static String layouts() {
    return """
    version: v1
    mig-configs:
      %s:
      - {devices: all, mig-enabled: false}
      %s:
      - {devices: [%d], mig-enabled: true, mig-devices: {3g.40gb: %d}}
      %s:
      - {devices: all, mig-enabled: true, mig-devices: {3g.40gb: %d}}
    """
        .formatted(WHOLE, ONE_GPU, DIVIDED, SLICES, SEVERAL_GPUS, SLICES);
  }

  private void patch(ResourceDefinitionContext kind, String name, String patch) {
    client()
        .genericKubernetesResources(kind)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private void label(String key, String value) {
    client()
        .nodes()
        .withName(node())
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{\"%s\":\"%s\"}}}".formatted(key, value));
  }

  private static int allocatable(Node node) {
    var all = Objects.requireNonNull(node.getStatus().getAllocatable());
    return Integer.parseInt(all.getOrDefault(GPU, new Quantity("0")).getAmount());
  }

  private Node liveNode() {
    return client().nodes().withName(node()).require();
  }

  private String node() {
    return agent.cluster().server().name();
  }

  private KubernetesClient client() {
    return agent.cluster().controlPlane().client();
  }

  private record Listener(ConcurrentSkipListSet<Integer> counts)
      implements ResourceEventHandler<Node> {
    @Override
    public void onAdd(Node node) {
      counts.add(allocatable(node));
    }

    @Override
    public void onUpdate(Node before, Node after) {
      onAdd(after);
    }

    @Override
    public void onDelete(Node last, boolean isFinalStateUnknown) {}
  }
}
