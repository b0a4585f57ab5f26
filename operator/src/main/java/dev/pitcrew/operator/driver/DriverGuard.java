package dev.pitcrew.operator.driver;

import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.operator.operand.driver.DriverSettings;
import dev.pitcrew.operator.operand.driver.NvidiaDriverChecks;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.RenderContext;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What makes an NVIDIADriver impossible, in the order in which the reference asks; nothing of it
/// that runs is changed while one of these holds.
final class DriverGuard {
  private static final Pattern VERSION =
      Pattern.compile("v?(\\d{1,6})(?:\\.(\\d{1,6}))?(?:\\.(\\d{1,6}))?(?:[-+].*)?");
  private static final long[] FIRST_OPEN_GDS = {2, 17, 5};

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
            && needsOpenModules(version)
            && !spec.kernelModuleTypeOrDefault().equals("open")
        ? failed(
            "GPUDirect Storage driver '%s' is only supported with NVIDIA OpenRM drivers. Please set 'useOpenKernelModules=true' to enable OpenRM mode: spec.kernelModuleType must be open"
                .formatted(version))
        : Optional.empty();
  }

  private static boolean needsOpenModules(String version) {
    Matcher parts = VERSION.matcher(version);
    if (!parts.matches()) {
      return version.startsWith("sha256");
    }
    for (int part = 0; part < FIRST_OPEN_GDS.length; part++) {
      String text = parts.group(part + 1);
      long number = text == null ? 0 : Long.parseLong(text);
      if (number != FIRST_OPEN_GDS[part]) {
        return number > FIRST_OPEN_GDS[part];
      }
    }
    return true;
  }

  private static Optional<Problem> failed(String message) {
    return Optional.of(new Problem(DriverVerdict.FAILED, message));
  }
}
