package dev.pitcrew.operator.render;

/// Environment that configures the MIG strategy of the policy in an operand.
public final class MigStrategy {
  private MigStrategy() {}

  public static String of(RenderContext context) {
    return context.spec().mig().chosenStrategy().orElse("");
  }

  public static void apply(ContainerDraft container, RenderContext context) {
    String strategy = of(context);
    if (!strategy.isEmpty()) {
      container.env("MIG_STRATEGY", strategy);
    }
    if (!strategy.equals("none")) {
      container.env("NVIDIA_MIG_MONITOR_DEVICES", "all");
    }
  }
}
