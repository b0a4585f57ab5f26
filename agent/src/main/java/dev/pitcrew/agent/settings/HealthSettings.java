package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.HealthSpec;
import dev.pitcrew.api.node.TaintEffect;
import dev.pitcrew.device.dra.DeviceTaint;
import java.util.Optional;

/// What happens to a GPU that is not well, and to a node that is new.
///
/// @param rules how levels come and go; empty where the readings of GPUs are not evaluated
/// @param taintFrom the level of its worst GPU from which on a node is tainted; empty for never
/// @param deviceTaints the effect of the taints of unhealthy devices in ResourceSlices; empty where
///   evidence against a device does not keep claims from it
/// @param resetsGpus whether a GPU that needs it is reset once no process holds it
/// @param hasStartupTaint whether the node comes with a taint until its GPUs can be used
public record HealthSettings(
    Optional<HealthRules> rules,
    Optional<HealthLevel> taintFrom,
    TaintEffect taintEffect,
    Optional<DeviceTaint.Effect> deviceTaints,
    boolean resetsGpus,
    boolean hasStartupTaint) {
  /// Nothing is known of it: what a node waits for, it goes on waiting for.
  static final HealthSettings UNSAID =
      new HealthSettings(
          Optional.empty(),
          Optional.empty(),
          TaintEffect.NO_SCHEDULE,
          Optional.of(DeviceTaint.Effect.NO_SCHEDULE),
          false,
          true);

  /// The feature gate of NVIDIA's DRA driver, which is off there and on here: a GPU that does not
  /// work is no use to a claim.
  private static final String GATE = "NVMLDeviceHealthCheck";

  static HealthSettings of(AgentDocument document, boolean isOn) {
    HealthSpec spec = document.health();
    return isOn
        ? new HealthSettings(
            Optional.of(new HealthRules(spec.recoverAfter())),
            spec.taintLevel(),
            spec.taintEffectOrDefault(),
            deviceTaints(document),
            spec.isResettingGpus(),
            document.hasStartupTaint())
        : new HealthSettings(
            Optional.empty(),
            Optional.empty(),
            TaintEffect.NO_SCHEDULE,
            deviceTaints(document),
            false,
            document.hasStartupTaint());
  }

  private static Optional<DeviceTaint.Effect> deviceTaints(AgentDocument document) {
    return Boolean.FALSE.equals(document.dra().featureGates().get(GATE))
        ? Optional.empty()
        : Optional.of(
            switch (document.health().deviceTaintEffectOrDefault()) {
              case NONE -> DeviceTaint.Effect.NONE;
              case NO_SCHEDULE -> DeviceTaint.Effect.NO_SCHEDULE;
              case NO_EXECUTE -> DeviceTaint.Effect.NO_EXECUTE;
            });
  }
}
