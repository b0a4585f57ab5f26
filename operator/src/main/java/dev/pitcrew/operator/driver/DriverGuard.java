package dev.pitcrew.operator.driver;

import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.operator.operand.driver.DriverChecks;
import dev.pitcrew.operator.operand.driver.DriverSettings;
import dev.pitcrew.operator.operand.driver.NvidiaDriverChecks;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.RenderContext;
import java.util.Objects;
import java.util.Optional;

/// What makes an NVIDIADriver invalid, in the order in which the NVIDIA GPU Operator checks;
/// nothing of it that runs is changed while one of these holds.
final class DriverGuard {
  private DriverGuard() {}

  static Optional<Problem> problem(
      DriverResource driver, DriverFleet fleet, DriverPools pools, RenderContext context) {
    DriverSettings settings = DriverSettings.of(driver.spec());
    return fleet
        .problem(driver)
        .or(() -> addonsNeedBuilding(driver.spec()))
        .or(() -> gdsNeedsOpenModules(driver.spec()))
        .or(() ->
            References.secret("spec.secretEnv", _ -> settings.references().secretEnvironment())
                .problem(context))
        .or(() -> NvidiaDriverChecks.problem(settings, pools.pools(), context));
  }

  private static Optional<Problem> addonsNeedBuilding(NvidiaDriverSpec spec) {
    return spec.isPrecompiled() && (spec.gds().isEnabled() || spec.gdrcopy().isEnabled())
        ? failed(
            "GPUDirect Storage driver (nvidia-fs) and/or GDRCopy driver is not supported along with pre-compiled NVIDIA drivers")
        : Optional.empty();
  }

  private static Optional<Problem> gdsNeedsOpenModules(NvidiaDriverSpec spec) {
    String version = Objects.requireNonNullElse(spec.gds().version(), "");
    return spec.gds().isEnabled()
            && DriverChecks.needsOpenModules(version)
            && !spec.kernelModuleTypeOrDefault().equals("open")
        ? failed(
            "GPUDirect Storage driver '%s' is only supported with NVIDIA OpenRM drivers: spec.kernelModuleType must be open"
                .formatted(version))
        : Optional.empty();
  }

  private static Optional<Problem> failed(String message) {
    return Optional.of(new Problem(DriverVerdict.FAILED, message));
  }
}
