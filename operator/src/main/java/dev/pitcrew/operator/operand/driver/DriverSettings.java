package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.DriverAddonSpec;
import dev.pitcrew.api.DriverManagerSpec;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.ProbeSpec;
import dev.pitcrew.api.RdmaSpec;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.clusterpolicy.DriverSpec;
import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.operator.render.Images.Source;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a custom resource says about the driver, whichever resource it is.
///
/// @param field path of the driver section, for messages
/// @param driverType of an NVIDIADriver: `gpu`, `vgpu` or `vgpu-host-manager`; empty for a
///   ClusterPolicy
/// @param moduleType `auto`, `open`, `proprietary` or empty
public record DriverSettings(
    String field,
    String driverType,
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

  /// Of the operator's environment: the image of the driver manager where a resource names none.
  static final String DEFAULT_MANAGER = "DRIVER_MANAGER_IMAGE";

  /// ConfigMaps and Secrets that are named for the driver's pods.
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
      Optional<String> secretEnvironment) {

    /// The ConfigMaps among them.
    public Set<String> configMaps() {
      return Stream.of(licensingConfigMap, topology, moduleParameters, repositories, certificates)
          .flatMap(Optional::stream)
          .collect(Collectors.toUnmodifiableSet());
    }

    /// The Secrets among them.
    public Set<String> secrets() {
      return Stream.of(secretEnvironment, licensingSecret)
          .flatMap(Optional::stream)
          .collect(Collectors.toUnmodifiableSet());
    }
  }

  /// The settings of a ClusterPolicy.
  public static DriverSettings of(ClusterPolicySpec spec) {
    DriverSpec driver = spec.driver();
    return new DriverSettings(
        "spec.driver",
        "",
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

  /// The settings of an NVIDIADriver.
  public static DriverSettings of(NvidiaDriverSpec spec) {
    return new DriverSettings(
        "spec",
        spec.driverTypeOrDefault(),
        spec,
        spec.manager(),
        spec.isPrecompiled(),
        Objects.requireNonNullElse(spec.kernelModuleType(), ""),
        spec.startupProbe(),
        spec.livenessProbe(),
        spec.readinessProbe(),
        spec.rdma(),
        references(spec),
        spec.gds(),
        spec.gdrcopy());
  }

  /// Those of the references that pods are made with: ready-made modules need no packages, and
  /// there is one licence.
  public References used() {
    return new References(
        references.licensingSecret(),
        references.licensingConfigMap().filter(_ -> references.licensingSecret().isEmpty()),
        references.licenseServer(),
        references.topology(),
        references.moduleParameters(),
        references.repositories().filter(_ -> !precompiled),
        references.certificates().filter(_ -> !precompiled),
        references.secretEnvironment());
  }

  Source image() {
    return new Source(field, section, fallback("DRIVER_IMAGE"));
  }

  Source managerImage() {
    return new Source(field + ".manager", manager, DEFAULT_MANAGER);
  }

  Source gdsImage() {
    return new Source("spec.gds", gds, fallback("GDS_IMAGE"));
  }

  Source gdrcopyImage() {
    return new Source("spec.gdrcopy", gdrcopy, fallback("GDRCOPY_IMAGE"));
  }

  /// One variable cannot name an image for each pool, so an NVIDIADriver has to name its own.
  private String fallback(String variable) {
    return driverType.isEmpty() ? variable : "";
  }

  private static References references(NvidiaDriverSpec driver) {
    var licensing = driver.licensingConfig();
    return new References(
        licensing.secret(),
        licensing.configMap(),
        licensing.isNlsEnabled(),
        driver.virtualTopologyConfig().reference(),
        driver.kernelModuleConfig().reference(),
        driver.repoConfig().reference(),
        driver.certConfig().reference(),
        Optional.ofNullable(driver.secretEnv()).filter(name -> !name.isEmpty()));
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
