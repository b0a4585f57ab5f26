package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The real nodes of one control plane. Closing pulls the plug of all of them; their objects in the
/// cluster stay, as for machines that lost power.
public final class RealNodes implements AutoCloseable {
  private final ControlPlane controlPlane;
  private final NodeNetwork network;
  private final Binaries binaries;
  private final Map<ContainerdRelease, NodePrograms> programs =
      new EnumMap<>(ContainerdRelease.class);
  private final List<RealNode> nodes = new ArrayList<>();

  private RealNodes(ControlPlane controlPlane, NodeNetwork network, Binaries binaries) {
    this.controlPlane = controlPlane;
    this.network = network;
    this.binaries = binaries;
  }

  /// Nodes for `controlPlane`, which must have been started with the address of `network`.
  public static RealNodes of(ControlPlane controlPlane, NodeNetwork network, Binaries binaries) {
    return new RealNodes(controlPlane, network, binaries);
  }

  /// Starts a node and returns when it is Ready.
  ///
  /// @throws dev.pitcrew.testbed.TestbedException if a program cannot be had
  public RealNode add(NodeSpec spec) {
    return addAll(List.of(spec)).getFirst();
  }

  /// Starts nodes side by side and returns when all of them are Ready.
  public List<RealNode> addAll(Collection<NodeSpec> specs) {
    var added = specs.stream().map(this::create).toList();
    added.forEach(RealNode::start);
    return added.stream().map(RealNode::awaitReady).toList();
  }

  /// All nodes, in the order in which they were added.
  public List<RealNode> all() {
    return List.copyOf(nodes);
  }

  private RealNode create(NodeSpec spec) {
    var place = network.place(nodes.size() + 1);
    var folder = new NodeFolder(controlPlane.directory().file("nodes").resolve(spec.name()));
    var cgroup = network.prefix() + "-" + spec.name();
    folder.write(
        spec,
        new NodeFolder.Settings(
            place, cgroup, ControlPlane.serviceAddress(), apiServer(), kubeconfig(spec.name())),
        programs(spec.containerd()),
        controlPlane.directory().file("ca.crt"));
    var node = new RealNode(place, folder, controlPlane, self -> start(self, folder, cgroup));
    nodes.add(node);
    return node;
  }

  private NodePrograms programs(ContainerdRelease containerd) {
    return programs.computeIfAbsent(
        containerd,
        release -> {
          var folder = controlPlane.directory().file("node-programs").resolve(release.name());
          return NodePrograms.in(folder, binaries, release);
        });
  }

  private NodeProcess start(RealNode node, NodeFolder folder, String cgroup) {
    var process = NodeProcess.start(controlPlane.directory(), folder, node.place(), cgroup);
    var others = nodes.stream().filter(other -> other != node).toList();
    network.attach(node.place(), process.pid(), others);
    return process;
  }

  private Path kubeconfig(String name) {
    return controlPlane.kubeconfigForUser("system:node:" + name, "system:nodes");
  }

  private String apiServer() {
    return URI.create(controlPlane.apiServerAddress()).getAuthority();
  }

  @Override
  public void close() {
    nodes.forEach(RealNode::stop);
  }
}
