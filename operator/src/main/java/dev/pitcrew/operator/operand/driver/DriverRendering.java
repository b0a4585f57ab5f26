package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.RenderContext;

/// One driver DaemonSet while the steps go over it.
record DriverRendering(
    DaemonSetDraft draft, DriverSettings settings, DriverVariant variant, RenderContext context) {

  ContainerDraft driver() {
    return draft.find(DriverShape.DRIVER);
  }

  String driverImage() {
    return variant
        .kernel()
        .map(kernel -> DriverImages.precompiled(settings, kernel, variant.os()))
        .orElseGet(() -> tagged(context.images().path(settings.image())));
  }

  /// The image for this variant's operating system.
  String tagged(String path) {
    return Images.withOsTag(path, variant.os().imageTag());
  }
}
