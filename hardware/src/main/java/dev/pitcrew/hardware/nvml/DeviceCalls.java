package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pitcrew.device.inventory.AddressingMode;
import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.device.inventory.ComputeCapability;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.util.UUID;

/// What NVML reports about one GPU or MIG device.
public final class DeviceCalls {
  private static final int TEXT_LENGTH = 96;
  private static final int FABRIC_VERSION = 2;
  private static final int ADDRESSING_VERSION = 1;
  private static final long TOTAL_MEMORY = Layouts.offset(Layouts.MEMORY, "total");

  private final NvmlFunction name;
  private final NvmlFunction uuid;
  private final NvmlFunction minor;
  private final NvmlFunction pciInfo;
  private final NvmlFunction memory;
  private final NvmlFunction capability;
  private final NvmlFunction fabric;
  private final NvmlFunction versionedFabric;
  private final NvmlFunction addressing;
  private final NvmlFunction brand;

  DeviceCalls(NvmlFunction.Table functions) {
    name = functions.textReader("nvmlDeviceGetName");
    uuid = functions.textReader("nvmlDeviceGetUUID");
    minor = functions.reader("nvmlDeviceGetMinorNumber");
    pciInfo =
        functions.reader(
            "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo");
    memory = functions.reader("nvmlDeviceGetMemoryInfo");
    capability = functions.pair("nvmlDeviceGetCudaComputeCapability");
    fabric = functions.reader("nvmlDeviceGetGpuFabricInfo");
    versionedFabric = functions.reader("nvmlDeviceGetGpuFabricInfoV");
    addressing = functions.reader("nvmlDeviceGetAddressingMode");
    brand = functions.reader("nvmlDeviceGetBrand");
  }

  /// The product name, such as `NVIDIA A100-SXM4-40GB`.
  public Answer<String> name(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(TEXT_LENGTH);
      int code = name.call(device.pointer(), text, TEXT_LENGTH);
      return name.plausible(code, () -> Texts.name(text));
    }
  }

  /// `GPU-…` or `MIG-…`.
  public Answer<String> uuid(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(TEXT_LENGTH);
      int code = uuid.call(device.pointer(), text, TEXT_LENGTH);
      return uuid.plausible(code, () -> Texts.uuid(text));
    }
  }

  /// The number in `/dev/nvidia<minor>`.
  public Answer<Integer> minorNumber(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var number = arena.allocate(JAVA_INT);
      int code = minor.call(device.pointer(), number);
      return minor.plausible(code, () -> Numbers.small(number.get(JAVA_INT, 0)));
    }
  }

  /// The PCI address as the kernel writes it.
  public Answer<String> pciAddress(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(Layouts.PCI_INFO);
      int code = pciInfo.call(device.pointer(), info);
      return pciInfo.plausible(code, () -> PciInfo.address(info));
    }
  }

  /// The whole memory, in bytes.
  public Answer<Long> memoryBytes(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(Layouts.MEMORY);
      int code = memory.call(device.pointer(), info);
      return memory.plausible(code, () -> Numbers.positive(info.get(JAVA_LONG, TOTAL_MEMORY)));
    }
  }

  public Answer<ComputeCapability> computeCapability(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var major = arena.allocate(JAVA_INT);
      var minorPart = arena.allocate(JAVA_INT);
      int code = capability.call(device.pointer(), major, minorPart);
      return capability.answer(
          code, () -> new ComputeCapability(major.get(JAVA_INT, 0), minorPart.get(JAVA_INT, 0)));
    }
  }

  public Answer<Brand> brand(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var number = arena.allocate(JAVA_INT);
      int code = brand.call(device.pointer(), number);
      return brand.answer(code, () -> Brand.of(number.get(JAVA_INT, 0)));
    }
  }

  /// Not supported by drivers before R580, which have no such function.
  public Answer<AddressingMode> addressingMode(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var layout = Layouts.ADDRESSING_MODE;
      var mode = arena.allocate(layout);
      mode.set(JAVA_INT, 0, Layouts.version(layout, ADDRESSING_VERSION));
      int code = addressing.call(device.pointer(), mode);
      return addressing.plausible(
          code, () -> AddressingMode.of(Layouts.number(mode, layout, "value")));
    }
  }

  /// The fabric, by the older function where the library has it, else by the one with a versioned
  /// structure.
  public Answer<FabricState> fabric(DeviceHandle device) {
    var answer = plainFabric(device);
    return answer instanceof Answer.Value ? answer : versionedFabric(device);
  }

  private Answer<FabricState> plainFabric(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(Layouts.FABRIC_INFO);
      int code = fabric.call(device.pointer(), info);
      return fabric.answer(code, () -> fabricState(info, Layouts.FABRIC_INFO));
    }
  }

  private Answer<FabricState> versionedFabric(DeviceHandle device) {
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(Layouts.FABRIC_INFO_V2);
      info.set(JAVA_INT, 0, Layouts.version(Layouts.FABRIC_INFO_V2, FABRIC_VERSION));
      int code = versionedFabric.call(device.pointer(), info);
      return versionedFabric.answer(code, () -> fabricState(info, Layouts.FABRIC_INFO_V2));
    }
  }

  private static FabricState fabricState(MemorySegment info, StructLayout layout) {
    var cluster = Layouts.bytes(info, layout, "clusterUuid").toArray(JAVA_BYTE);
    var halves = ByteBuffer.wrap(cluster);
    return new FabricState(
        new UUID(halves.getLong(), halves.getLong()),
        Layouts.number(info, layout, "cliqueId"),
        Layouts.bytes(info, layout, "state").get(JAVA_BYTE, 0),
        Layouts.number(info, layout, "status"));
  }
}
