package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.operator.cluster.OpenShift;
import java.util.List;

/// The digest of everything that decides which driver an NVIDIADriver gets installed. Unlike the
/// one of a ClusterPolicy it is made from the resource and not from the pod, so the two differ for
/// the same driver.
final class NvidiaDriverDigest {
  private NvidiaDriverDigest() {}

  /// Image paths as they are pulled; empty where there is no such container.
  ///
  /// @param manager as it is configured, whatever image is run in its place
  record Paths(String driver, String manager, String gds, String gdrcopy, String driverToolkit) {}

  static String of(PooledDriver driver, Paths paths, AdditionalFiles files) {
    var fields = new DigestFields();
    NvidiaDriverSpec spec = driver.spec();
    fields.string("DriverImage", paths.driver());
    fields.string("DriverManagerImage", paths.manager());
    fields.string("DriverType", spec.driverTypeOrDefault());
    fields.string("KernelModuleType", driver.settings().moduleType());
    fields.strings("DriverArgs", spec.args());
    environment(fields, "DriverEnv", spec.env());
    environment(fields, "ManagerEnv", spec.manager().env());
    references(fields, driver.settings().references());
    addons(fields, spec, paths);
    driver.openShift().ifPresent(cluster -> openShift(fields, cluster, driver, paths));
    if (spec.isPrecompiled()) {
      fields.flag("UsePrecompiled");
      fields.string("KernelVersion", driver.pool().kernel().orElse(""));
    }
    fields.volumes(files.volumes());
    fields.mounts(files.mounts());
    fields.string("HostRoot", driver.hostRoot());
    fields.string("ReferencedContent", driver.content());
    return fields.digest();
  }

  private static void references(DigestFields fields, DriverSettings.References references) {
    fields.string("SecretEnvSource", references.secretEnvironment().orElse(""));
    fields.string("LicensingConfigName", references.licensingSecret().orElse(""));
    fields.string("VirtualTopologyConfig", references.topology().orElse(""));
    fields.string("KernelModuleConfig", references.moduleParameters().orElse(""));
    fields.string("RepoConfig", references.repositories().orElse(""));
    fields.string("CertConfig", references.certificates().orElse(""));
  }

  private static void addons(DigestFields fields, NvidiaDriverSpec spec, Paths paths) {
    if (spec.rdma().isEnabled()) {
      fields.flag("GPUDirectRDMAEnabled");
      fields.string("PeermemImage", paths.driver());
    }
    if (spec.rdma().isHostMofed()) {
      fields.flag("UseHostMOFED");
    }
    if (spec.gds().isEnabled()) {
      fields.flag("GDSEnabled");
      fields.string("GDSImage", paths.gds());
      environment(fields, "GDSEnv", spec.gds().env());
    }
    if (spec.gdrcopy().isEnabled()) {
      fields.flag("GDRCopyEnabled");
      fields.string("GDRCopyImage", paths.gdrcopy());
      environment(fields, "GDRCopyEnv", spec.gdrcopy().env());
    }
  }

  private static void openShift(
      DigestFields fields, OpenShift cluster, PooledDriver driver, Paths paths) {
    fields.string("OpenshiftVersion", cluster.version());
    fields.flag("DTKEnabled");
    fields.string("DTKImage", paths.driverToolkit());
    fields.string("RHCOSVersion", driver.pool().coreOsRelease().orElse(""));
    fields.string("HTTPProxy", cluster.proxy().getOrDefault("HTTP_PROXY", ""));
    fields.string("HTTPSProxy", cluster.proxy().getOrDefault("HTTPS_PROXY", ""));
    fields.string("NoProxy", cluster.proxy().getOrDefault("NO_PROXY", ""));
    fields.string("TrustedCAConfigMapName", cluster.trustedCa().orElse(""));
  }

  private static void environment(DigestFields fields, String name, List<EnvVar> variables) {
    fields.environment(
        name,
        variables.stream()
            .map(it ->
                new io.fabric8.kubernetes.api.model.EnvVar(it.name(), it.valueOrDefault(), null))
            .toList());
  }
}
