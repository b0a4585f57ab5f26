package dev.pitcrew.operator.render;

import dev.pitcrew.operator.render.Images.Source;

/// The init containers in which an operand waits for what it needs on its node.
public final class ValidationContainers {
  private ValidationContainers() {}

  public static Source image(RenderContext context) {
    return new Source("spec.validator", context.spec().validator(), "VALIDATOR_IMAGE");
  }

  /// Waits for the container toolkit of the node by a file in `/run/nvidia/validations`.
  ///
  /// @param volume volume that holds the file
  /// @param path where the volume is mounted
  public static ContainerDraft waitForToolkit(String volume, String path) {
    return waitFor(
            "toolkit-validation",
            "until [ -f /run/nvidia/validations/toolkit-ready ]; do echo waiting for nvidia container stack to be setup;"
                + " sleep 5; done")
        .mount(volume, path, ContainerDraft.Propagation.HOST_TO_CONTAINER);
  }

  public static ContainerDraft waitFor(String name, String script) {
    return new ContainerDraft(name).command("sh", "-c").args(script).privileged();
  }

  /// Runs the validator for one component.
  public static ContainerDraft validator(String name, String component, boolean wait) {
    return new ContainerDraft(name)
        .command("sh", "-c")
        .args("nvidia-validator")
        .env("WITH_WAIT", Boolean.toString(wait))
        .env("COMPONENT", component)
        .privileged();
  }

  /// Image, resources and environment of every init container that validates.
  public static void apply(DaemonSetDraft draft, RenderContext context) {
    var validator = context.spec().validator();
    String path = context.images().path(image(context));
    for (ContainerDraft container : draft.initContainers()) {
      if (!container.name().contains("validation")) {
        continue;
      }
      OperandSettings.image(draft, container, validator, path);
      OperandSettings.resources(container, validator);
      container.runAsRoot();
      if (container.name().startsWith("driver")) {
        OperandSettings.env(container, validator.driver().env());
      }
      if (container.name().startsWith("toolkit")) {
        OperandSettings.env(container, validator.toolkit().env());
      }
    }
  }
}
