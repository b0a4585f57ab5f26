package dev.pitcrew.agent.cdi;

import java.util.List;
import java.util.Set;

/// What a set of specifications is to look like.
///
/// @param vendor the vendor part of the kind of each
/// @param classes for each of which there is one
/// @param namings under each of which a GPU is a device
/// @param allDevice whether a device `all` holds all GPUs
/// @param hookPath the hook program on the host
/// @param hooks those that are used
/// @param imexChannels the numbers of the channels
/// @param voidEnv the classes whose containers an NVIDIA runtime must ignore
public record CdiOptions(
    String vendor,
    List<CdiClass> classes,
    List<DeviceNaming> namings,
    boolean allDevice,
    String hookPath,
    Set<HookName> hooks,
    Set<Feature> features,
    List<Integer> imexChannels,
    Set<CdiClass> voidEnv) {
  public CdiOptions {
    classes = List.copyOf(classes);
    namings = List.copyOf(namings);
    hooks = Set.copyOf(hooks);
    features = Set.copyOf(features);
    imexChannels = List.copyOf(imexChannels);
    voidEnv = Set.copyOf(voidEnv);
  }

  /// What `nvidia-ctk cdi generate` does when nothing is said.
  public static CdiOptions ofToolkit() {
    return new CdiOptions(
        "nvidia.com",
        List.of(CdiClass.GPU),
        List.of(DeviceNaming.INDEX, DeviceNaming.UUID),
        true,
        "/usr/bin/nvidia-cdi-hook",
        HookName.switched(List.of(), List.of()),
        Set.of(),
        List.of(),
        Set.of(CdiClass.values()));
  }

  /// What the device plugin hands out by CDI names.
  public static CdiOptions ofPlugin() {
    return new CdiOptions(
        "k8s.device-plugin.nvidia.com",
        List.of(CdiClass.GPU),
        List.of(DeviceNaming.UUID),
        false,
        "/usr/bin/nvidia-ctk",
        HookName.switched(List.of(), List.of()),
        Set.of(),
        List.of(),
        Set.of(CdiClass.GPU, CdiClass.GDS, CdiClass.MOFED, CdiClass.GDRCOPY));
  }

  /// What the specifications of claims are made of.
  ///
  /// @param hookPath the hook program on the host
  public static CdiOptions ofClaims(String hookPath) {
    return new CdiOptions(
        "k8s.gpu.nvidia.com",
        List.of(CdiClass.GPU),
        List.of(DeviceNaming.UUID),
        false,
        hookPath,
        HookName.switched(List.of(HookName.UPDATE_APPLICATION_PROFILE.text()), List.of()),
        Set.of(),
        List.of(),
        Set.of(CdiClass.GPU));
  }

  /// What IMEX daemons of ComputeDomains get: all devices of the node.
  ///
  /// @param hookPath the hook program on the host
  public static CdiOptions ofDomains(String hookPath) {
    return new CdiOptions(
        "k8s.compute-domain.nvidia.com",
        List.of(CdiClass.MANAGEMENT),
        List.of(),
        true,
        hookPath,
        Set.of(HookName.CREATE_SYMLINKS, HookName.UPDATE_LDCACHE),
        Set.of(),
        List.of(),
        Set.of(CdiClass.MANAGEMENT));
  }

  /// @param type of this and no other class
  public CdiOptions only(CdiClass type) {
    return withClasses(List.of(type));
  }

  public CdiOptions withClasses(List<CdiClass> wanted) {
    return new CdiOptions(
        vendor, wanted, namings, allDevice, hookPath, hooks, features, imexChannels, voidEnv);
  }

  public CdiOptions withVendor(String other) {
    return new CdiOptions(
        other, classes, namings, allDevice, hookPath, hooks, features, imexChannels, voidEnv);
  }

  public CdiOptions withNamings(List<DeviceNaming> wanted) {
    return new CdiOptions(
        vendor, classes, wanted, allDevice, hookPath, hooks, features, imexChannels, voidEnv);
  }

  public CdiOptions withAllDevice(boolean wanted) {
    return new CdiOptions(
        vendor, classes, namings, wanted, hookPath, hooks, features, imexChannels, voidEnv);
  }

  public CdiOptions withHooks(String path, Set<HookName> wanted) {
    return new CdiOptions(
        vendor, classes, namings, allDevice, path, wanted, features, imexChannels, voidEnv);
  }

  public CdiOptions withFeatures(Set<Feature> wanted) {
    return new CdiOptions(
        vendor, classes, namings, allDevice, hookPath, hooks, wanted, imexChannels, voidEnv);
  }

  public CdiOptions withImexChannels(List<Integer> channels) {
    return new CdiOptions(
        vendor, classes, namings, allDevice, hookPath, hooks, features, channels, voidEnv);
  }

  /// The kind of the specification of a class.
  CdiKind kind(CdiClass type) {
    return new CdiKind(vendor, type.text());
  }
}
