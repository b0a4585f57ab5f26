package dev.pitcrew.operator.operand.driver;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;

import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.PackagedFile;
import dev.pitcrew.operator.render.Probes;
import dev.pitcrew.operator.render.Volumes;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategyBuilder;
import java.util.Map;

/// The driver DaemonSet before any setting: the driver container and all side containers that a
/// setting may keep.
final class DriverShape {
  static final String NAME = "nvidia-driver-daemonset";
  static final String ACCOUNT = "nvidia-driver";
  static final String PROBE_SCRIPT = "nvidia-driver-startup-probe";
  static final String DRIVER = "nvidia-driver-ctr";
  static final String PEERMEM = "nvidia-peermem-ctr";
  static final String GDS = "nvidia-fs-ctr";
  static final String GDRCOPY = "nvidia-gdrcopy-ctr";
  static final String COMPONENT = "nvidia-driver";
  static final String HOST_MANAGER = "nvidia-vgpu-host-manager";
  static final String COMPONENT_LABEL = "app.kubernetes.io/component";
  private static final String PROBE_VOLUME = "driver-startup-probe-script";
  private static final String PROBE_FILE = "/usr/local/bin/startup-probe.sh";

  private DriverShape() {}

  static DaemonSetDraft draft() {
    return draft(NAME, ACCOUNT, "driver", COMPONENT, driver(true));
  }

  /// The same for the drivers of a pool.
  static DaemonSetDraft draft(String name, String account, String deployLabel, String component) {
    return draft(name, account, deployLabel, component, driver(false));
  }

  private static DaemonSetDraft draft(
      String name, String account, String deployLabel, String component, ContainerDraft driver) {
    var draft =
        DaemonSetDraft.ofApp(name, deployLabel)
            .labelBoth("nvidia.com/precompiled", "false")
            .labelBoth(COMPONENT_LABEL, component)
            .openShiftConstraint(account)
            .podAnnotation("kubectl.kubernetes.io/default-container", DRIVER)
            .serviceAccount(account)
            .hostPid()
            .affinity(onePerNode(COMPONENT))
            // The upgrade controller decides when a node's driver is replaced.
            .updateStrategy(new DaemonSetUpdateStrategyBuilder().withType("OnDelete").build())
            .init(manager())
            .container(driver)
            .container(peermem())
            .container(addon(GDS, "nvidia-gds-driver", "nvidia_fs"))
            .container(addon(GDRCOPY, "nvidia-gdrcopy-driver", "gdrdrv"))
            .container(
                DriverToolkit.container()
                    .mount("mlnx-ofed-usr-src", "/run/mellanox/drivers/usr/src", HOST_TO_CONTAINER)
                    .mountReadOnly("host-os-release", "/host-etc/os-release"));
    volumes(draft);
    return draft;
  }

  /// Whether the driver answers, as the startup probe asks it. Asking a busy node takes seconds, so
  /// a probe that says nothing of time gets more than the one second of Kubernetes.
  static Probe healthProbe() {
    return Probes.exec("sh", PROBE_FILE).withPeriodSeconds(30).withTimeoutSeconds(60).build();
  }

  /// The script that checks whether the driver answers, for all pods of drivers in the namespace.
  static ConfigMap probeScript(Map<String, String> labels, String namespace) {
    return PackagedFile.configMap(
        PROBE_SCRIPT, namespace, labels, "startup-probe.sh", "driver-startup-probe.sh");
  }

  /// Keeps pods of these components off a node that has one of them.
  static Affinity onePerNode(String... components) {
    return new AffinityBuilder()
        .withNewPodAntiAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNewLabelSelector()
        .addNewMatchExpression()
        .withKey(COMPONENT_LABEL)
        .withOperator("In")
        .withValues(components)
        .endMatchExpression()
        .endLabelSelector()
        .withTopologyKey("kubernetes.io/hostname")
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .build();
  }

  private static ContainerDraft manager() {
    return DriverManagerContainer.evictingShape()
        .mount("run-mellanox-drivers", "/run/mellanox/drivers", HOST_TO_CONTAINER);
  }

  /// @param systemFirst how the NVIDIA GPU Operator, whose pods keep running after a takeover,
  ///   orders two mounts
  private static ContainerDraft driver(boolean systemFirst) {
    ContainerDraft driver =
        privileged(DRIVER)
            .command("nvidia-driver")
            .args("init")
            .envFromField("NODE_NAME", "spec.nodeName")
            .envFromField("NODE_IP", "status.hostIP")
            .startupProbe(
                Probes.exec("sh", PROBE_FILE)
                    .withInitialDelaySeconds(60)
                    .withPeriodSeconds(10)
                    .withTimeoutSeconds(60)
                    .withSuccessThreshold(1)
                    .withFailureThreshold(120)
                    .build())
            .preStop(
                "/bin/sh",
                "-c",
                "rm -f /run/nvidia/validations/.driver-ctr-ready /run/nvidia/validations/.driver-daemons-status")
            .mount("run-nvidia", "/run/nvidia", BIDIRECTIONAL)
            .mount("run-nvidia-fabricmanager", "/run/nvidia-fabricmanager")
            .mount("run-nvidia-topologyd", "/run/nvidia-topologyd")
            .mount("var-log", "/var/log")
            .mount("dev-log", "/dev/log")
            .mountReadOnly("host-os-release", "/host-etc/os-release")
            .mount("mlnx-ofed-usr-src", "/run/mellanox/drivers/usr/src", HOST_TO_CONTAINER)
            .mount("run-mellanox-drivers", "/run/mellanox/drivers", HOST_TO_CONTAINER);
    if (systemFirst) {
      driver.mount("host-sys-devices-system", "/sys/devices/system");
    }
    return driver
        .mount("firmware-search-path", "/sys/module/firmware_class/parameters/path")
        .mount("host-sys-devices-system", "/sys/devices/system")
        .mount("nv-firmware", "/lib/firmware")
        .mount(
            new VolumeMountBuilder()
                .withName(PROBE_VOLUME)
                .withMountPath(PROBE_FILE)
                .withSubPath("startup-probe.sh")
                .build());
  }

  private static ContainerDraft peermem() {
    String probe = "nvidia-driver probe_nvidia_peermem";
    return privileged(PEERMEM)
        .command("nvidia-driver")
        .args("reload_nvidia_peermem")
        .startupProbe(Probes.whileModuleLoads(probe, 10))
        .livenessProbe(
            Probes.exec("sh", "-c", probe)
                .withInitialDelaySeconds(30)
                .withPeriodSeconds(30)
                .withTimeoutSeconds(10)
                .withSuccessThreshold(1)
                .withFailureThreshold(1)
                .build())
        .mount("run-nvidia", "/run/nvidia", BIDIRECTIONAL)
        .mount("var-log", "/var/log")
        .mountReadOnly("dev-log", "/dev/log")
        .mount("run-mellanox-drivers", "/run/mellanox/drivers", HOST_TO_CONTAINER);
  }

  /// A container that builds and loads one more kernel module once the driver is there.
  private static ContainerDraft addon(String name, String installer, String module) {
    return privileged(name)
        .command("bash", "-xc")
        .args(
            """
            until [ -d /run/nvidia/driver/usr/src ] && lsmod | grep -q nvidia; do
              echo waiting for the driver of this node to be loaded
              sleep 10
            done
            exec %s install
            """
                .formatted(installer))
        .startupProbe(Probes.whileModuleLoads("lsmod | grep " + module, 10))
        .mount("run-nvidia", "/run/nvidia", HOST_TO_CONTAINER)
        .mount("var-log", "/var/log")
        .mountReadOnly("dev-log", "/dev/log");
  }

  private static ContainerDraft privileged(String name) {
    return new ContainerDraft(name).pullPolicy("IfNotPresent").privileged().sharedSelinuxLevel();
  }

  private static void volumes(DaemonSetDraft draft) {
    draft
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY_OR_CREATE)
        .hostPath("var-log", "/var/log", ANY)
        .hostPath("dev-log", "/dev/log", ANY)
        .hostPath("host-os-release", "/etc/os-release", ANY)
        .hostPath("run-nvidia-fabricmanager", "/run/nvidia-fabricmanager", DIRECTORY_OR_CREATE)
        .hostPath("run-nvidia-topologyd", "/run/nvidia-topologyd", DIRECTORY_OR_CREATE)
        .hostPath("mlnx-ofed-usr-src", "/run/mellanox/drivers/usr/src", DIRECTORY_OR_CREATE)
        .hostPath("run-mellanox-drivers", "/run/mellanox/drivers", DIRECTORY_OR_CREATE)
        .hostPath("run-nvidia-validations", "/run/nvidia/validations", DIRECTORY_OR_CREATE)
        .hostPath("host-root", "/", ANY)
        .hostPath("host-sys", "/sys", DIRECTORY)
        .hostPath("firmware-search-path", "/sys/module/firmware_class/parameters/path", ANY)
        .hostPath("host-sys-devices-system", "/sys/devices/system", DIRECTORY)
        .hostPath("nv-firmware", "/run/nvidia/driver/lib/firmware", DIRECTORY_OR_CREATE)
        .volume(Volumes.script(PROBE_VOLUME, PROBE_SCRIPT, 0755));
  }
}
