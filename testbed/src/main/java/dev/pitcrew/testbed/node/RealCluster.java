package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import java.util.EnumSet;
import java.util.List;

/// A control plane that nodes can reach, and its nodes. Closing it, or the end of this JVM in any
/// way, ends and removes all of it. Ask [NodeSupport] first whether this machine can.
public record RealCluster(ControlPlane controlPlane, RealNodes nodes) implements AutoCloseable {
  /// Starts a cluster in a fresh temporary folder; its nodes are Ready on return.
  public static RealCluster start(NodeSpec... specs) {
    var binaries = Binaries.standard(Progress.standardError());
    var wanted = EnumSet.copyOf(Binary.forNodes(true));
    List.of(specs).forEach(spec -> wanted.addAll(spec.containerd().programs()));
    binaries.resolveAll(wanted);
    return start(WorkDirectory.temporary(), binaries, ControlPlaneOptions.defaults(), specs);
  }

  /// Starts a cluster in `directory`, which it closes when it is closed itself, and also when the
  /// start fails. The address in `options` is replaced.
  public static RealCluster start(
      WorkDirectory directory, Binaries binaries, ControlPlaneOptions options, NodeSpec... specs) {
    try {
      var network = NodeNetwork.open(directory);
      var reachable = options.withAddress(network.address());
      var controlPlane = ControlPlane.start(directory, binaries, reachable);
      return withNodes(controlPlane, network, binaries, List.of(specs));
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  private static RealCluster withNodes(
      ControlPlane controlPlane, NodeNetwork network, Binaries binaries, List<NodeSpec> specs) {
    try {
      var nodes = RealNodes.of(controlPlane, network, binaries);
      nodes.addAll(specs);
      return new RealCluster(controlPlane, nodes);
    } catch (RuntimeException | Error e) {
      controlPlane.client().close();
      throw e;
    }
  }

  @Override
  public void close() {
    nodes.close();
    controlPlane.close();
  }
}
