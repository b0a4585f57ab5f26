package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.bench.KubeletLog.Said;
import dev.pitcrew.testbed.demo.InstalledCluster;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.KubeletCheckpoint;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.IntStream;

/// Rolls the agent's DaemonSet while a pod holds GPUs: its template changes, as a new image would
/// change it.
record AgentUpgrade(AgentUnderTest agent, int trials) {
  private static final String GPU = "nvidia.com/gpu";
  private static final int HELD = 2;

  /// @param gap for how long the kubelet had no list of the devices
  /// @param allocatable every number of GPUs that the Node reported meanwhile
  record Upgraded(Duration gap, Set<String> allocatable) {}

  /// @throws TestbedException where a pod's devices have changed
  List<Upgraded> rolls() {
    return IntStream.rangeClosed(1, trials).mapToObj(this::roll).toList();
  }

  private Upgraded roll(int number) {
    var server = agent.cluster().server();
    var client = agent.cluster().controlPlane().client();
    var seen = new ConcurrentSkipListSet<String>();
    try (var pod = GpuPod.run(client, server, HELD);
        var _ = client.nodes().withName(server.name()).inform(new Listener(seen))) {
      var devices = KubeletCheckpoint.of(server).entries();
      var mark = agent.kubeletLog().end();
      var old = agent.processes(server).agent().orElseThrow().id();
      agent.roll(Map.of("ROLLED", Integer.toString(number)));
      Await.orFail(
          AgentUnderTest.LIMIT.multipliedBy(2),
          "the agent was not rolled",
          () -> hasFollowed(mark) && agent.isRolled() && !isAlive(old));
      if (!pod.isRunning() || !KubeletCheckpoint.of(server).entries().equals(devices)) {
        throw new TestbedException("the roll of the agent took devices from a pod");
      }
      return new Upgraded(gap(agent.kubeletLog().since(mark)), Set.copyOf(seen));
    }
  }

  private boolean hasFollowed(long mark) {
    var said = agent.kubeletLog().since(mark);
    return said.stream().anyMatch(Said::isLoss) && said.getLast().isList(InstalledCluster.GPUS);
  }

  private static boolean isAlive(long process) {
    return ProcessHandle.of(process).filter(ProcessHandle::isAlive).isPresent();
  }

  /// From the end of the old agent's list to the list with all devices.
  static Duration gap(List<Said> said) {
    Instant lost = said.stream().filter(Said::isLoss).findFirst().orElseThrow().time();
    Instant back =
        said.stream()
            .filter(it -> it.time().isAfter(lost) && it.isList(InstalledCluster.GPUS))
            .findFirst()
            .orElseThrow()
            .time();
    return Duration.between(lost, back);
  }

  private record Listener(Set<String> seen) implements ResourceEventHandler<Node> {
    @Override
    public void onAdd(Node node) {
      seen.add(
          node.getStatus().getAllocatable().getOrDefault(GPU, new Quantity("none")).getAmount());
    }

    @Override
    public void onUpdate(Node before, Node after) {
      onAdd(after);
    }

    @Override
    public void onDelete(Node last, boolean isFinalStateUnknown) {}
  }
}
