package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.DriverAddonSpec;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.OperandSettings;

/// The side containers of the driver pod, each kept only when its feature is on.
final class DriverAddons {
  private DriverAddons() {}

  /// GPUDirect RDMA: reloads nvidia-peermem when the network driver appears.
  static void peermem(DriverRendering rendering) {
    DriverSettings settings = rendering.settings();
    if (!settings.rdma().isEnabled()) {
      rendering.draft().remove(DriverShape.PEERMEM);
      return;
    }
    ContainerDraft peermem = rendering.draft().find(DriverShape.PEERMEM);
    peermem.image(rendering.driverImage()).pullPolicy(settings.section().imagePullPolicy());
    if (settings.rdma().isHostMofed()) {
      peermem.env("USE_HOST_MOFED", "true");
    }
    DriverFiles.moduleParameters(rendering, DriverShape.PEERMEM);
    OperandSettings.resources(peermem, settings.section());
  }

  static void gds(DriverRendering rendering) {
    DriverSettings settings = rendering.settings();
    addon(rendering, DriverShape.GDS, settings.gds(), settings.gdsImage());
  }

  static void gdrcopy(DriverRendering rendering) {
    DriverSettings settings = rendering.settings();
    addon(rendering, DriverShape.GDRCOPY, settings.gdrcopy(), settings.gdrcopyImage());
  }

  private static void addon(
      DriverRendering rendering, String name, DriverAddonSpec section, Source image) {
    if (!section.isEnabled()) {
      rendering.draft().remove(name);
      return;
    }
    ContainerDraft addon = rendering.draft().find(name);
    String path = rendering.tagged(rendering.context().images().path(image));
    OperandSettings.image(rendering.draft(), addon, section, path);
    OperandSettings.env(addon, section.env());
    DriverFiles.repositoriesAndCertificates(rendering, name);
    rendering.settings().references().secretEnvironment().ifPresent(addon::envFromSecret);
    OperandSettings.resources(addon, rendering.settings().section());
  }
}
