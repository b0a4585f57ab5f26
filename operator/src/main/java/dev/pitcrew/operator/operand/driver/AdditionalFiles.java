package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.render.ContainerDraft;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.List;

/// Files of ConfigMaps, Secrets and the host that the user's settings bring into a driver
/// container, besides those that every driver container has.
record AdditionalFiles(List<Volume> volumes, List<VolumeMount> mounts) {
  static final AdditionalFiles NONE = new AdditionalFiles(List.of(), List.of());

  /// Mounts them into the driver container. The modules of SUSE's kernels are none of them: the
  /// reference has no such mount, and its digest is that of a driver without it.
  static AdditionalFiles mountInto(DriverRendering rendering) {
    DriverFiles.suseModules(rendering);
    List<Volume> volumes = rendering.draft().volumes();
    List<VolumeMount> mounts = rendering.driver().mounts();
    DriverFiles.repositoriesAndCertificates(rendering);
    DriverFiles.subscription(rendering);
    DriverFiles.moduleParameters(rendering, DriverShape.DRIVER);
    DriverFiles.licensing(rendering);
    DriverFiles.topology(rendering);
    return new AdditionalFiles(
        rendering.draft().volumes().stream().filter(it -> !volumes.contains(it)).toList(),
        rendering.driver().mounts().stream().filter(it -> !mounts.contains(it)).toList());
  }

  void mountInto(ContainerDraft container) {
    mounts.forEach(container::mount);
  }
}
