package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.DriverAddonSpec;
import dev.pitcrew.api.DriverManagerSpec;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.ProbeSpec;
import dev.pitcrew.api.RdmaSpec;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.clusterpolicy.DriverSpec;
import dev.pitcrew.operator.render.Images.Source;
import java.util.Objects;
import java.util.Optional;

/// What a custom resource says about the driver, whichever resource it is.
///
/// @param field path of the driver section, for messages
/// @param moduleType `auto`, `open`, `proprietary` or empty
public record DriverSettings(
    String field,
    OperandSpec section,
    DriverManagerSpec manager,
    boolean precompiled,
    String moduleType,
    ProbeSpec startupProbe,
    ProbeSpec livenessProbe,
    ProbeSpec readinessProbe,
    RdmaSpec rdma,
    References references,
    DriverAddonSpec gds,
    DriverAddonSpec gdrcopy) {

  /// ConfigMaps and Secrets that the driver's pods mount.
  ///
  /// @param licensingSecret wins over `licensingConfigMap`
  /// @param licenseServer whether a client token for a licence server comes with the licence
  public record References(
      Optional<String> licensingSecret,
      Optional<String> licensingConfigMap,
      boolean licenseServer,
      Optional<String> topology,
      Optional<String> moduleParameters,
      Optional<String> repositories,
      Optional<String> certificates,
      Optional<String> secretEnvironment) {}

  /// The settings of a ClusterPolicy.
  public static DriverSettings of(ClusterPolicySpec spec) {
    DriverSpec driver = spec.driver();
    return new DriverSettings(
        "spec.driver",
        driver,
        driver.manager(),
        driver.isPrecompiled(),
        Objects.requireNonNullElse(driver.kernelModuleType(), ""),
        driver.startupProbe(),
        driver.livenessProbe(),
        driver.readinessProbe(),
        driver.rdma(),
        references(driver),
        spec.gds(),
        spec.gdrcopy());
  }

  Source image() {
    return new Source(field, section, "DRIVER_IMAGE");
  }

  Source managerImage() {
    return new Source(field + ".manager", manager, "DRIVER_MANAGER_IMAGE");
  }

  Source gdsImage() {
    return new Source("spec.gds", gds, "GDS_IMAGE");
  }

  Source gdrcopyImage() {
    return new Source("spec.gdrcopy", gdrcopy, "GDRCOPY_IMAGE");
  }

  private static References references(DriverSpec driver) {
    var licensing = driver.licensingConfig();
    return new References(
        licensing.secret(),
        licensing.configMap(),
        licensing.isNlsEnabled(),
        driver.virtualTopology().reference(),
        driver.kernelModuleConfig().reference(),
        driver.repoConfig().reference(),
        driver.certConfig().reference(),
        Optional.ofNullable(driver.secretEnv()).filter(name -> !name.isEmpty()));
  }
}
