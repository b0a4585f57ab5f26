package dev.pitcrew.operator.operand.driver;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;

import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.operator.operand.driver.NvidiaDriverDigest.Paths;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.ProbeSettings;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.stream.Stream;

/// Renders the DaemonSet of an NVIDIADriver for one pool of nodes: the steps of a ClusterPolicy's
/// driver, and between them what an NVIDIADriver says otherwise.
final class NvidiaDriverRenderer {
  private static final int PRECOMPILED_DELAY_SECONDS = 5;
  private static final long HOST_MANAGER_GRACE_SECONDS = 120;
  private static final List<String> ADDONS =
      List.of(DriverShape.PEERMEM, DriverShape.GDS, DriverShape.GDRCOPY);

  private static final List<String> DIGESTED =
      List.of(DriverManagerContainer.NAME, DriverShape.DRIVER, DriverToolkit.CONTAINER);

  private NvidiaDriverRenderer() {}

  static DaemonSet render(PooledDriver driver) {
    DaemonSetDraft draft = CommonSettings.under(shape(driver), driver.context());
    var rendering =
        new DriverRendering(draft, driver.settings(), driver.variant(), driver.context());
    driverContainer(rendering, driver.spec());
    DriverRenderer.driverManager(rendering);
    DriverRenderer.moduleType(rendering);
    startupProbe(rendering);
    DriverRenderer.features(rendering);
    AdditionalFiles files = AdditionalFiles.mountInto(rendering);
    DriverRenderer.environment(rendering);
    rendering
        .settings()
        .references()
        .secretEnvironment()
        .ifPresent(rendering.driver()::envFromSecret);
    driver.openShift().ifPresent(_ -> OpenShiftSettings.apply(rendering));
    DriverAddons.peermem(rendering);
    DriverAddons.gds(rendering);
    DriverAddons.gdrcopy(rendering);
    ADDONS.stream().filter(draft::has).map(draft::find).forEach(files::mountInto);
    driverToolkit(rendering);
    pool(draft, driver);
    pod(draft, driver.spec());
    digest(rendering, NvidiaDriverDigest.of(driver, paths(rendering), files));
    return CommonSettings.finish(draft, driver.context());
  }

  private static DaemonSetDraft shape(PooledDriver driver) {
    DriverNames names = driver.names();
    DaemonSetDraft draft =
        DriverShape.draft(
                names.app(),
                names.account(),
                driver.isHostManager() ? "vgpu-manager" : "driver",
                driver.component())
            .affinity(DriverShape.onePerNode(DriverShape.COMPONENT, DriverShape.HOST_MANAGER));
    // The order is the NVIDIA GPU Operator's, whose pods keep running after a takeover.
    draft.find(DriverShape.DRIVER).envFirst("NVIDIA_VISIBLE_DEVICES", "void");
    DIGESTED.forEach(name -> draft.find(name).env(DriverConfigDigest.VARIABLE, ""));
    draft.find(DriverShape.PEERMEM).env("NVIDIA_VISIBLE_DEVICES", "void");
    draft
        .find(DriverToolkit.CONTAINER)
        .mount("firmware-search-path", "/sys/module/firmware_class/parameters/path")
        .mount("nv-firmware", "/lib/firmware");
    String root = driver.hostRoot().isEmpty() ? "/" : driver.hostRoot();
    draft.moveHostPath("host-root", root);
    return driver.isHostManager() ? hostManager(draft) : draft;
  }

  /// The vGPU manager of a host has devices for virtual machines, and no program that could say
  /// whether the driver answers.
  private static DaemonSetDraft hostManager(DaemonSetDraft draft) {
    draft
        .find(DriverShape.DRIVER)
        .withoutStartupProbe()
        .preStop()
        .mount("cgroup", "/sys/fs/cgroup")
        .mount("vfio", "/dev/vfio");
    return draft
        .hostPath("cgroup", "/sys/fs/cgroup", ANY)
        .hostPath("vfio", "/dev/vfio", ANY)
        .terminationGraceSeconds(HOST_MANAGER_GRACE_SECONDS);
  }

  private static void driverContainer(DriverRendering rendering, NvidiaDriverSpec spec) {
    ContainerDraft driver = rendering.driver();
    OperandSettings.image(rendering.draft(), driver, spec, rendering.driverImage());
    OperandSettings.resources(driver, spec);
    driver.args(Stream.concat(driver.args().stream(), spec.args().stream()).toArray(String[]::new));
  }

  /// Ready-made modules need not be built, so the first look may come soon.
  private static void startupProbe(DriverRendering rendering) {
    rendering
        .driver()
        .editStartupProbe(probe ->
            ProbeSettings.over(
                rendering.settings().precompiled()
                    ? new ProbeBuilder(probe)
                        .withInitialDelaySeconds(PRECOMPILED_DELAY_SECONDS)
                        .build()
                    : probe,
                rendering.settings().startupProbe()));
  }

  private static void driverToolkit(DriverRendering rendering) {
    DriverRenderer.driverToolkit(rendering);
    if (rendering.draft().has(DriverToolkit.CONTAINER)) {
      ContainerDraft toolkit = rendering.draft().find(DriverToolkit.CONTAINER);
      DriverToolkit.features(
          toolkit,
          rendering.settings().gds().isEnabled(),
          rendering.settings().gdrcopy().isEnabled());
    }
  }

  private static void pool(DaemonSetDraft draft, PooledDriver driver) {
    draft
        .labelBoth("nvidia.com/node.os-version", driver.pool().os().imageTag())
        .labelBoth("nvidia.com/precompiled", Boolean.toString(driver.spec().isPrecompiled()));
    driver
        .pool()
        .kernel()
        .ifPresent(kernel ->
            draft.labelBoth(
                "nvidia.com/precompiled.kernel-version", DriverVariant.labelOf(kernel)));
    driver.pool().selector().forEach(draft::onNodesWith);
  }

  private static void pod(DaemonSetDraft draft, NvidiaDriverSpec spec) {
    spec.labels()
        .forEach((key, value) -> {
          if (!key.equals("app") && !key.startsWith("app.kubernetes.io/")) {
            draft.labelBoth(key, value);
          }
        });
    spec.annotations()
        .forEach((key, value) -> draft.annotation(key, value).podAnnotation(key, value));
    OperandSettings.tolerations(draft, spec.tolerations());
    OperandSettings.podSecurity(draft, spec.podSecurityContext());
    String priority = spec.priorityClassName();
    if (priority != null && !priority.isEmpty()) {
      draft.priorityClass(priority);
    }
    draft.hostNetwork(Boolean.TRUE.equals(spec.hostNetwork()));
  }

  private static Paths paths(DriverRendering rendering) {
    DaemonSetDraft draft = rendering.draft();
    String toolkit =
        rendering
            .context()
            .facts()
            .openShift()
            .flatMap(cluster -> cluster.driverToolkitImages())
            .map(images -> images.get(rendering.variant().coreOsRelease().orElse("")))
            .orElse("");
    return new Paths(
        rendering.driverImage(),
        rendering.context().images().path(rendering.settings().managerImage()),
        image(draft, DriverShape.GDS),
        image(draft, DriverShape.GDRCOPY),
        toolkit);
  }

  private static String image(DaemonSetDraft draft, String container) {
    return draft.has(container) ? draft.find(container).image() : "";
  }

  private static void digest(DriverRendering rendering, String digest) {
    DIGESTED.stream()
        .filter(rendering.draft()::has)
        .forEach(name -> rendering.draft().find(name).env(DriverConfigDigest.VARIABLE, digest));
  }
}
