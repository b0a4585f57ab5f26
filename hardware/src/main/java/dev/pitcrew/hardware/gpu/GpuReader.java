package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.FabricState;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.pci.PciDevices;
import java.util.OptionalInt;

/// Reads one GPU.
final class GpuReader {
  private static final ComputeCapability NO_CAPABILITY = new ComputeCapability(0, 0);

  private final NvmlLibrary nvml;
  private final PciDevices pciDevices;
  private final MigMinors minors;

  /// How a GPU is named and where its device node is.
  private record Identity(String uuid, int minor, String address) {}

  private record Content(Board board, Mig mig) {}

  GpuReader(NvmlLibrary nvml, PciDevices pciDevices, MigMinors minors) {
    this.nvml = nvml;
    this.pciDevices = pciDevices;
    this.minors = minors;
  }

  /// The GPU at an NVML index; empty where it is one that shows pictures only.
  Answer<GpuAt> read(int index) {
    return nvml.driver().deviceAt(index).flatMap(handle -> read(index, handle));
  }

  private Answer<GpuAt> read(int index, DeviceHandle handle) {
    return nvml.devices()
        .name(handle)
        .flatMap(name ->
            isDisplayOnly(name)
                ? Answer.of(new GpuAt.DisplayOnly())
                : compute(index, handle, name));
  }

  private Answer<GpuAt> compute(int index, DeviceHandle handle, String name) {
    return identity(handle)
        .flatMap(identity ->
            content(handle, name, identity.minor())
                .map(content -> gpu(index, handle, identity, content)));
  }

  private GpuAt gpu(int index, DeviceHandle handle, Identity identity, Content content) {
    var gpu =
        new Gpu(
            index,
            identity.minor(),
            identity.uuid(),
            content.board(),
            pci(identity.address()),
            content.mig(),
            fabric(handle));
    return new GpuAt.Compute(gpu, handle);
  }

  private Answer<Identity> identity(DeviceHandle handle) {
    var devices = nvml.devices();
    var place = Answer.join(devices.minorNumber(handle), devices.pciAddress(handle), Place::new);
    return Answer.join(
        devices.uuid(handle),
        place,
        (uuid, found) -> new Identity(uuid, found.minor(), found.address()));
  }

  private record Place(int minor, String address) {}

  private Answer<Content> content(DeviceHandle handle, String name, int minor) {
    var devices = nvml.devices();
    return Answer.join(
            devices.memoryBytes(handle).ifNotSupported(0L),
            devices.computeCapability(handle).ifNotSupported(NO_CAPABILITY),
            (memory, capability) -> new Board(name, memory, capability))
        .flatMap(board -> mig(handle, minor, board).map(mig -> new Content(board, mig)));
  }

  private Answer<Mig> mig(DeviceHandle handle, int minor, Board board) {
    return new MigReader(nvml, new MigReader.Target(handle, minor, board.memoryBytes()), minors)
        .read();
  }

  private PciFunction pci(String address) {
    return pciDevices
        .at(address)
        .map(found -> new PciFunction(address, OptionalInt.of(found.pciClass()), found.numaNode()))
        .orElseGet(() -> new PciFunction(address, OptionalInt.empty(), OptionalInt.empty()));
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
