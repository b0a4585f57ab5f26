package dev.pitcrew.agent.context;

import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/// Where the agent runs.
///
/// @param identity who it is for the cluster
/// @param credentials how the API server is reached
/// @param folders on the node
/// @param nvml the driver's library, where it was named
/// @param nodeStatus where the metrics of the node are served
public record AgentContext(
    Identity identity,
    Credentials credentials,
    HostRoot host,
    Folders folders,
    Optional<String> nvml,
    BindAddress nodeStatus,
    InstantSource clock) {

  /// @param node the name of its Node
  /// @param pod its own name, for Events; that of the node where it runs by hand
  /// @param namespace of the operator
  /// @param configMap the operator's word to its agents, in that namespace
  public record Identity(String node, String pod, String namespace, String configMap) {
    /// Whether it runs as the operator runs it, and not by hand.
    public boolean isPod() {
      return !pod.equals(node);
    }
  }

  /// @param kubelet takes the sockets of device plugins
  /// @param kubeletRoot takes the sockets of DRA drivers
  /// @param cdi takes CDI specifications
  /// @param state outlives the agent
  /// @param validations has the status files for which others wait; no reboot outlives them
  public record Folders(
      Path kubelet, KubeletRoot kubeletRoot, Path cdi, Path state, Path validations) {}

  /// The kubelet's folder, of which an agent sees `plugins` and `plugins_registry`.
  ///
  /// @param folder as the agent sees it
  /// @param onHost as the kubelet sees it: it opens sockets by the paths that drivers report
  public record KubeletRoot(Path folder, String onHost) {
    /// A folder that the kubelet sees under the same path.
    public static KubeletRoot of(Path folder) {
      return new KubeletRoot(folder, folder.toString());
    }
  }
}
