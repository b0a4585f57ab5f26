package dev.pitcrew.testbed.nodes;

import dev.pitcrew.testbed.Concurrently;
import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import io.fabric8.kubernetes.api.model.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/// The simulated nodes of one control plane, kept alive by one kwok process. Closing ends kwok and
/// leaves the nodes: from then on they are silent, like machines that lost power.
public final class SimulatedNodes implements AutoCloseable {
  private static final Duration LEASE = Duration.ofSeconds(40);
  private final ControlPlane controlPlane;
  private final GuardedProcess kwok;

  private SimulatedNodes(ControlPlane controlPlane, GuardedProcess kwok) {
    this.controlPlane = controlPlane;
    this.kwok = kwok;
  }

  /// Starts kwok for `controlPlane`; one at a time.
  public static SimulatedNodes start(ControlPlane controlPlane, PodsOnNodes pods) {
    return start(controlPlane, pods, Binaries.standard(Progress.standardError()));
  }

  /// As above, with programs from `binaries`.
  public static SimulatedNodes start(
      ControlPlane controlPlane, PodsOnNodes pods, Binaries binaries) {
    var directory = controlPlane.directory();
    var command = new ArrayList<String>();
    command.add(binaries.resolve(Binary.KWOK).toString());
    command.add("--kubeconfig=" + controlPlane.kubeconfigForUser("kwok", "system:masters"));
    command.add("--manage-nodes-with-annotation-selector=" + NodeTemplate.SIMULATED + "=true");
    command.add("--node-lease-duration-seconds=" + LEASE.toSeconds());
    // At its own default it logs every lease that it renews.
    command.add("--v=WARN");
    configuration(directory, pods).forEach(file -> command.add("--config=" + file));
    return new SimulatedNodes(controlPlane, directory.start("kwok", command));
  }

  /// Creates the nodes 1 to `count` of the pool and returns when all of them can take pods.
  public List<Node> create(NodeTemplate template, int count) {
    return create(template, IntStream.rangeClosed(1, count).boxed().toList());
  }

  /// Creates the nodes with these numbers and returns when all of them can take pods.
  public List<Node> create(NodeTemplate template, Collection<Integer> numbers) {
    var nodes = numbers.stream().map(template::node).toList();
    Concurrently.forEach(nodes, node -> controlPlane.client().resource(node).create());
    var limit = Duration.ofSeconds(30).plusMillis(50L * nodes.size());
    awaitArrival(nodes.stream().map(node -> node.getMetadata().getName()).toList(), limit);
    return nodes;
  }

  private void awaitArrival(Collection<String> names, Duration limit) {
    try {
      var missing = Arrival.missing(controlPlane.client(), names, limit);
      if (!missing.isEmpty()) {
        throw new TestbedException(
            "%d of %d nodes cannot take pods after %d s, such as %s; kwok's log ends with:\n%s"
                .formatted(
                    missing.size(),
                    names.size(),
                    limit.toSeconds(),
                    missing.iterator().next(),
                    kwok.logTail()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted while nodes became Ready", e);
    }
  }

  @Override
  public void close() {
    kwok.stop();
  }

  private static List<Path> configuration(WorkDirectory directory, PodsOnNodes pods) {
    var resources = new ArrayList<>(List.of("kwok.yaml", "node-stages.yaml"));
    resources.addAll(pods.stages());
    return resources.stream().map(name -> directory.write(name, text(name))).toList();
  }

  private static String text(String resource) {
    try (var stream = SimulatedNodes.class.getResourceAsStream(resource)) {
      return new String(
          Objects.requireNonNull(stream, resource).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + resource, e);
    }
  }
}
