package dev.pitcrew.device.dra;

import dev.pitcrew.device.dra.ClaimDevice.MigPart;
import dev.pitcrew.device.dra.ClaimDevice.Partition;
import dev.pitcrew.device.dra.ClaimDevice.Passthrough;
import dev.pitcrew.device.dra.ClaimDevice.WholeGpu;
import dev.pitcrew.device.inventory.AddressingMode;
import dev.pitcrew.device.inventory.Architecture;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigProfile;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/// The attributes and the capacity of one device. What the driver does not report is left out; so
/// is what the API server would refuse, since it refuses the whole slice.
///
/// @param problems takes a line for each attribute that the API server would refuse
record DeviceFacts(DriverVersion driver, ClaimDevice device, Collection<String> problems) {
  private static final String STANDARD = "resource.kubernetes.io/";

  SortedMap<String, Attribute> attributes() {
    return device instanceof Passthrough(var function, _) ? ofBus(function) : ofDriver();
  }

  private SortedMap<String, Attribute> ofDriver() {
    var all = new TreeMap<String, Attribute>();
    Gpu gpu = device.gpu();
    if (!device.uuid().isEmpty()) {
      text(all, "uuid", device.uuid());
    }
    switch (device) {
      case WholeGpu _ -> text(all, "type", "gpu");
      case MigPart(_, var part) -> addMig(all, part.profile());
      case Partition(_, var profile, _) -> addMig(all, profile.shape());
      case Passthrough _ -> text(all, "type", "vfio");
    }
    addBoard(all, gpu.board());
    addDriver(all);
    addPlace(all, gpu.pci().address(), gpu.pci().root(), gpu.pci().numaNode());
    return all;
  }

  private SortedMap<String, Attribute> ofBus(PassthroughGpu function) {
    var all = new TreeMap<String, Attribute>();
    text(all, "uuid", function.uuid());
    text(all, "type", "vfio");
    text(all, "vendorID", function.vendor());
    text(all, "deviceID", function.device());
    text(all, "productName", function.product().orElse(device.gpu().board().name()));
    all.put("iommuFDEnabled", new Attribute.Flag(function.hasIommuFd()));
    addPlace(all, function.address(), function.root(), function.numaNode());
    return all;
  }

  private void addPlace(
      SortedMap<String, Attribute> all, String address, Optional<String> root, OptionalInt node) {
    text(all, STANDARD + "pciBusID", address);
    root.ifPresent(name -> text(all, STANDARD + "pcieRoot", name));
    node.ifPresent(number -> all.put(STANDARD + "numaNode", new Attribute.Whole(number)));
  }

  private void addMig(SortedMap<String, Attribute> all, MigProfile profile) {
    text(all, "type", "mig");
    text(all, "parentUUID", device.gpu().uuid());
    text(all, "profile", profile.name());
  }

  private void addBoard(SortedMap<String, Attribute> all, Board board) {
    text(all, "productName", board.name());
    board.brand().map(Brand::identifier).ifPresent(brand -> text(all, "brand", brand));
    board
        .addressingMode()
        .map(AddressingMode::words)
        .ifPresent(mode -> text(all, "addressingMode", mode));
    if (board.computeCapability().major() > 0) {
      text(all, "architecture", Architecture.of(board.computeCapability()).title());
      version(all, "cudaComputeCapability", board.computeCapability().toString());
    }
  }

  private void addDriver(SortedMap<String, Attribute> all) {
    version(all, "driverVersion", driver.driver());
    if (driver.cudaMajor() > 0) {
      version(all, "cudaDriverVersion", driver.cudaMajor() + "." + driver.cudaMinor());
    }
  }

  SortedMap<String, Quantity> capacity() {
    var all = new TreeMap<String, Quantity>();
    switch (device) {
      case WholeGpu _ -> {
        if (memoryBytes() > 0) {
          all.put("memory", Quantity.ofBytes(memoryBytes()));
        }
      }
      case MigPart part -> addPart(all, part);
      case Partition(_, var profile, _) -> addAmounts(all, profile.amounts());
      case Passthrough(var function, _) ->
          all.put("addressableMemory", Quantity.ofBytes(function.addressableBytes()));
    }
    return all;
  }

  /// 0 where it is not known.
  long memoryBytes() {
    return switch (device) {
      case WholeGpu(var gpu) -> gpu.board().memoryBytes();
      case MigPart(_, var part) -> MigAmount.MEMORY.of(part.attributes());
      case Partition(_, var profile, _) -> MigAmount.MEMORY.of(profile.amounts());
      case Passthrough _ -> 0; // no two claims share it
    };
  }

  private static void addAmounts(SortedMap<String, Quantity> all, MigAttributes amounts) {
    for (MigAmount amount : MigAmount.values()) {
      all.put(amount.capacity(), amount.quantity(amount.of(amounts)));
    }
  }

  private static void addPart(SortedMap<String, Quantity> all, MigPart part) {
    addAmounts(all, part.device().attributes());
    int first = part.placement().start();
    for (int slice = first; slice < first + part.placement().slices(); slice++) {
      all.put("memorySlice" + slice, Quantity.ofCount(1));
    }
  }

  private void text(SortedMap<String, Attribute> all, String name, String value) {
    if (value.getBytes(StandardCharsets.UTF_8).length > Attribute.LONGEST) {
      problems.add(
          "%s is left out of the ResourceSlices: '%s' is longer than %d bytes"
              .formatted(name, value, Attribute.LONGEST));
    } else {
      all.put(name, new Attribute.Text(value));
    }
  }

  private void version(SortedMap<String, Attribute> all, String name, String value) {
    SemanticVersion.of(value)
        .ifPresentOrElse(
            version -> all.put(name, new Attribute.Version(version)),
            () ->
                problems.add(
                    "%s is left out of the ResourceSlices: '%s' is not a semantic version"
                        .formatted(name, value)));
  }
}
