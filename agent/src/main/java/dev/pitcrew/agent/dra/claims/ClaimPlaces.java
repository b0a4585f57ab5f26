package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.AgentContext.KubeletRoot;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.state.StateFolder;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;

/// Where prepared claims are kept.
///
/// @param plugin the driver's folder with kubelet, such as
///   `/var/lib/kubelet/plugins/gpu.nvidia.com`
/// @param cdi the folder of the CDI files of claims
/// @param node its name, which is the name of its pool
/// @param bootId the kernel's id of the current boot: no prepared claim outlives it
/// @param mps where the MPS control daemons of claims are
public record ClaimPlaces(
    Path plugin, SpecificationFolder cdi, String node, String bootId, MpsPlaces mps) {
  /// @param orders has the file that the supervisor of the daemons reads
  /// @param marks the folder of its marks, as this process sees it
  /// @param onHost the folder of what daemons share with their clients, on the host
  public record MpsPlaces(StateFolder orders, Supplier<Path> marks, Path onHost) {}

  /// @param driver the driver's folder below a kubelet's folder
  /// @param marks see [MpsPlaces]
  public static ClaimPlaces of(
      AgentContext context,
      StateFolder folder,
      Function<KubeletRoot, Path> driver,
      Supplier<Path> marks) {
    KubeletRoot kubelet = context.folders().kubeletRoot();
    return new ClaimPlaces(
        driver.apply(kubelet),
        new SpecificationFolder(context.folders().cdi()),
        context.identity().node(),
        HostFacts.bootId(context.host()).strip(),
        new MpsPlaces(
            folder, marks, driver.apply(KubeletRoot.of(Path.of(kubelet.onHost()))).resolve("mps")));
  }

  Path partitions() {
    return plugin.resolve("partitions.json");
  }

  CheckpointPlace checkpoint() {
    return new CheckpointPlace(plugin, node, bootId);
  }
}
