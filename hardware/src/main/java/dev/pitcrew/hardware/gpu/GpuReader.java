package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.AddressingMode;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.FabricState;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.pci.PciDevices;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// Reads GPUs, any number of times, on any thread. What cannot change while the driver is open is
/// read once for each GPU: it is most of the calls, and of the files.
final class GpuReader {
  private static final ComputeCapability NO_CAPABILITY = new ComputeCapability(0, 0);

  private final NvmlLibrary nvml;
  private final PciDevices pciDevices;
  private final Map<DeviceHandle, Fixed> known = new ConcurrentHashMap<>();
  private final MigProfiles profiles = new MigProfiles();

  /// What stays as it is while the GPU is this one.
  ///
  /// @param minor of its device node
  private record Fixed(String uuid, int minor, String name, Traits traits, PciFunction pci) {}

  /// What the board is besides its name. A brand or an addressing mode that cannot be read leaves
  /// the GPU readable.
  ///
  /// @param isComplete whether no call failed for a reason that may pass
  private record Traits(
      ComputeCapability capability,
      Optional<Brand> brand,
      Optional<AddressingMode> addressingMode,
      boolean isComplete) {}

  private record Place(int minor, String address) {}

  GpuReader(NvmlLibrary nvml, HostRoot host) {
    this.nvml = nvml;
    pciDevices = new PciDevices(host);
  }

  /// The GPU at an NVML index; empty where it is one that shows pictures only.
  ///
  /// @param minors asked where the GPU has MIG devices
  Answer<GpuAt> read(int index, Supplier<MigMinors> minors) {
    return nvml.driver()
        .deviceAt(index)
        .flatMap(handle -> {
          Fixed before = known.get(handle);
          return before == null
              ? first(index, handle, minors)
              : again(index, handle, before, minors);
        });
  }

  private Answer<GpuAt> first(int index, DeviceHandle handle, Supplier<MigMinors> minors) {
    return nvml.devices()
        .name(handle)
        .flatMap(name ->
            isDisplayOnly(name)
                ? Answer.of(new GpuAt.DisplayOnly())
                : fixed(handle, name).flatMap(found -> gpu(index, handle, found, minors)));
  }

  /// A handle may be another GPU's by now.
  private Answer<GpuAt> again(
      int index, DeviceHandle handle, Fixed before, Supplier<MigMinors> minors) {
    return nvml.devices()
        .uuid(handle)
        .flatMap(uuid ->
            uuid.equals(before.uuid())
                ? gpu(index, handle, before, minors)
                : first(index, handle, minors));
  }

  private Answer<Fixed> fixed(DeviceHandle handle, String name) {
    var devices = nvml.devices();
    var place = Answer.join(devices.minorNumber(handle), devices.pciAddress(handle), Place::new);
    return Answer.join(devices.uuid(handle), place, Identity::new)
        .flatMap(identity ->
            devices
                .computeCapability(handle)
                .ifNotSupported(NO_CAPABILITY)
                .map(capability -> fixed(handle, identity, name, traits(handle, capability))));
  }

  private Traits traits(DeviceHandle handle, ComputeCapability capability) {
    var brand = nvml.devices().brand(handle);
    var mode = nvml.devices().addressingMode(handle);
    return new Traits(
        capability,
        brand.toOptional(),
        mode.toOptional(),
        !(brand instanceof Answer.Failed) && !(mode instanceof Answer.Failed));
  }

  private record Identity(String uuid, Place place) {}

  /// A PCI function that the kernel does not show yet, and a trait whose call failed, are looked
  /// for again.
  private Fixed fixed(DeviceHandle handle, Identity identity, String name, Traits traits) {
    String address = identity.place().address();
    var function =
        pciDevices
            .at(address)
            .map(it ->
                new PciFunction(
                    address,
                    OptionalInt.of(it.pciClass()),
                    it.numaNode(),
                    pciDevices.root(address)));
    var found =
        new Fixed(
            identity.uuid(),
            identity.place().minor(),
            name,
            traits,
            function.orElseGet(
                () -> new PciFunction(address, OptionalInt.empty(), OptionalInt.empty())));
    if (function.isPresent() && traits.isComplete()) {
      known.put(handle, found);
    }
    return found;
  }

  private Answer<GpuAt> gpu(
      int index, DeviceHandle handle, Fixed fixed, Supplier<MigMinors> minors) {
    return nvml.devices()
        .memoryBytes(handle)
        .ifNotSupported(0L)
        .flatMap(memory ->
            new MigReader(
                    nvml,
                    new MigReader.Target(handle, fixed.uuid(), fixed.minor(), memory),
                    minors,
                    profiles)
                .read()
                .map(mig -> gpu(index, handle, fixed, memory, mig)));
  }

  private GpuAt gpu(int index, DeviceHandle handle, Fixed fixed, long memory, Mig mig) {
    Traits traits = fixed.traits();
    var board =
        new Board(
            fixed.name(), memory, traits.capability(), traits.brand(), traits.addressingMode());
    var gpu = new Gpu(index, fixed.minor(), fixed.uuid(), board, fixed.pci(), mig, fabric(handle));
    return new GpuAt.Compute(gpu, handle);
  }

  // A GPU whose fabric cannot be read still computes.
  private Fabric fabric(DeviceHandle handle) {
    return nvml.devices()
        .fabric(handle)
        .toOptional()
        .map(FabricState::fabric)
        .orElseGet(Fabric.NotAttached::new);
  }

  // The graphics card of a DGX Station.
  static boolean isDisplayOnly(String name) {
    return name.equals("DGX Display") || name.equals("NVIDIA DGX Display");
  }
}
