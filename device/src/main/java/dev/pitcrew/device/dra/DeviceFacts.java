package dev.pitcrew.device.dra;

import dev.pitcrew.device.dra.ClaimDevice.MigPart;
import dev.pitcrew.device.dra.ClaimDevice.Partition;
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
import java.util.SortedMap;
import java.util.TreeMap;

/// The attributes and the capacity of one device. What the driver does not report is left out; so
/// is what the API server would refuse, since it refuses the whole slice.
///
/// @param problems takes a line for each attribute that the API server would refuse
record DeviceFacts(DriverVersion driver, ClaimDevice device, Collection<String> problems) {
  private static final String STANDARD = "resource.kubernetes.io/";

  SortedMap<String, Attribute> attributes() {
    var all = new TreeMap<String, Attribute>();
    Gpu gpu = device.gpu();
    if (!device.uuid().isEmpty()) {
      text(all, "uuid", device.uuid());
    }
    switch (device) {
      case WholeGpu _ -> text(all, "type", "gpu");
      case MigPart(_, var part) -> addMig(all, part.profile());
      case Partition(_, var profile, _) -> addMig(all, profile.shape());
    }
    addBoard(all, gpu.board());
    addDriver(all);
    text(all, STANDARD + "pciBusID", gpu.pci().address());
    gpu.pci().root().ifPresent(root -> text(all, STANDARD + "pcieRoot", root));
    gpu.pci()
        .numaNode()
        .ifPresent(node -> all.put(STANDARD + "numaNode", new Attribute.Whole(node)));
    return all;
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
    }
    return all;
  }

  /// 0 where it is not known.
  long memoryBytes() {
    return switch (device) {
      case WholeGpu(var gpu) -> gpu.board().memoryBytes();
      case MigPart(_, var part) -> MigAmount.MEMORY.of(part.attributes());
      case Partition(_, var profile, _) -> MigAmount.MEMORY.of(profile.amounts());
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
