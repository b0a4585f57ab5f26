package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.ProbeSpec;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.ProbeSettings;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/// Renders one driver DaemonSet. The order of the steps is the specification: later ones see what
/// earlier ones set, and the digest sees all.
public final class DriverRenderer {
  @FunctionalInterface
  private interface Step {
    void apply(DriverRendering rendering);
  }

  private static final List<Step> STEPS =
      List.of(
          DriverRenderer::driverManager,
          DriverRenderer::driver,
          DriverRenderer::moduleType,
          DriverRenderer::probes,
          DriverRenderer::features,
          DriverFiles::licensing,
          DriverFiles::topology,
          rendering -> DriverFiles.moduleParameters(rendering, DriverShape.DRIVER),
          DriverRenderer::environment,
          DriverFiles::suseModules,
          DriverFiles::repositoriesAndCertificates,
          DriverRenderer::secretEnvironment,
          DriverFiles::subscription,
          OpenShiftSettings::apply,
          DriverAddons::peermem,
          DriverAddons::gds,
          DriverAddons::gdrcopy,
          DriverRenderer::driverToolkit,
          DriverRenderer::variant,
          DriverConfigDigest::apply,
          DriverRenderer::hostNetwork);

  private DriverRenderer() {}

  public static DaemonSet render(
      DriverSettings settings, DriverVariant variant, RenderContext context) {
    var draft = CommonSettings.under(DriverShape.draft(), context);
    var rendering = new DriverRendering(draft, settings, variant, context);
    STEPS.forEach(step -> step.apply(rendering));
    return CommonSettings.finish(draft, context);
  }

  static void driverManager(DriverRendering rendering) {
    ContainerDraft manager = rendering.draft().find(DriverManagerContainer.NAME);
    if (rendering.settings().rdma().isEnabled()) {
      manager.env("GPU_DIRECT_RDMA_ENABLED", "true");
    }
    if (rendering.settings().rdma().isHostMofed()) {
      manager.env("USE_HOST_MOFED", "true");
    }
    DriverManagerContainer.apply(
        rendering.draft(),
        rendering.settings().managerImage(),
        rendering.settings().section(),
        rendering.context());
  }

  private static void driver(DriverRendering rendering) {
    var section = rendering.settings().section();
    OperandSettings.image(rendering.draft(), rendering.driver(), section, rendering.driverImage());
    OperandSettings.resources(rendering.driver(), section);
    rendering.driver().argsIfAny(section.args());
  }

  static void moduleType(DriverRendering rendering) {
    String type = rendering.settings().moduleType();
    if (!type.isEmpty()) {
      rendering.driver().env("KERNEL_MODULE_TYPE", type);
    }
    if (type.equals("open")) {
      rendering.driver().env("OPEN_KERNEL_MODULES_ENABLED", "true");
    }
  }

  private static void probes(DriverRendering rendering) {
    DriverSettings settings = rendering.settings();
    ContainerDraft driver = rendering.driver();
    driver.editStartupProbe(probe -> ProbeSettings.over(probe, settings.startupProbe()));
    // The container has no such probes of its own; the user's run the same check.
    addProbe(settings.livenessProbe(), driver, ContainerDraft::livenessProbe);
    addProbe(settings.readinessProbe(), driver, ContainerDraft::readinessProbe);
  }

  private static void addProbe(
      ProbeSpec given, ContainerDraft driver, BiConsumer<ContainerDraft, Probe> place) {
    if (!given.isAbsent()) {
      place.accept(driver, ProbeSettings.over(DriverShape.healthProbe(), given));
    }
  }

  static void features(DriverRendering rendering) {
    DriverSettings settings = rendering.settings();
    ContainerDraft driver = rendering.driver();
    if (settings.gdrcopy().isEnabled()) {
      driver.env("GDRCOPY_ENABLED", "true");
    }
    if (settings.gds().isEnabled()) {
      driver.env("GDS_ENABLED", "true");
    }
    if (settings.rdma().isEnabled()) {
      driver.env("GPU_DIRECT_RDMA_ENABLED", "true");
    }
    if (settings.rdma().isHostMofed()) {
      rendering.draft().moveHostPath("mlnx-ofed-usr-src", "/usr/src");
      driver.env("USE_HOST_MOFED", "true");
    }
  }

  static void environment(DriverRendering rendering) {
    OperandSettings.env(rendering.driver(), rendering.settings().section().env());
  }

  private static void secretEnvironment(DriverRendering rendering) {
    if (!rendering.settings().precompiled()) {
      rendering
          .settings()
          .references()
          .secretEnvironment()
          .ifPresent(rendering.driver()::envFromSecret);
    }
  }

  static void driverToolkit(DriverRendering rendering) {
    DriverToolkit.apply(
        rendering.draft(),
        rendering.variant().coreOsRelease(),
        Map.of(
            DriverShape.DRIVER, "nv-ctr-run-with-dtk",
            DriverShape.GDS, "nv-fs-ctr-run-with-dtk",
            DriverShape.GDRCOPY, "gdrcopy-ctr-run-with-dtk"),
        rendering.context());
    if (rendering.draft().has(DriverToolkit.CONTAINER)) {
      OperandSettings.resources(
          rendering.draft().find(DriverToolkit.CONTAINER), rendering.settings().section());
    }
  }

  private static void variant(DriverRendering rendering) {
    DriverVariant variant = rendering.variant();
    rendering.draft().rename(rendering.draft().name() + variant.suffix());
    variant.nodeSelector().forEach(rendering.draft()::onNodesWith);
    if (variant.coreOsRelease().isPresent()) {
      rendering.draft().renameApp(rendering.draft().name());
    }
    if (variant.kernel().isPresent()) {
      rendering.draft().labelBoth("nvidia.com/precompiled", "true");
    }
  }

  private static void hostNetwork(DriverRendering rendering) {
    rendering
        .draft()
        .hostNetwork(Boolean.TRUE.equals(rendering.settings().section().hostNetwork()));
  }
}
