package dev.pitcrew.agent.command;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.List;
import java.util.stream.Stream;

/// The devices of a node that `--device-id` names. A GPU that is divided has MIG devices only, as
/// in a specification.
///
/// @param inventory with these devices and no other
/// @param isNone whether no GPU is wanted; the inventory is whole then
/// @param unknown what was named and is not there
/// @param names by which devices can be named
record CdiSelection(Inventory inventory, boolean isNone, List<String> unknown, List<String> names) {
  private static final String ALL = "all";
  private static final String NONE = "none";

  CdiSelection {
    unknown = List.copyOf(unknown);
    names = List.copyOf(names);
  }

  static CdiSelection of(List<String> ids, Inventory inventory) {
    List<String> names =
        inventory.gpus().stream()
            .flatMap(gpu ->
                gpu.mig().isEnabled()
                    ? gpu.mig().migDevices().stream().flatMap(device -> names(gpu, device))
                    : names(gpu))
            .toList();
    if (ids.contains(ALL) || ids.equals(List.of(NONE))) {
      return new CdiSelection(inventory, ids.equals(List.of(NONE)), List.of(), names);
    }
    List<Gpu> gpus = inventory.gpus().stream().flatMap(gpu -> selected(ids, gpu).stream()).toList();
    var selected =
        new Inventory(inventory.driver(), gpus, inventory.unreadable(), inventory.topology());
    List<String> unknown = ids.stream().filter(id -> !names.contains(id)).toList();
    return new CdiSelection(selected, false, unknown, names);
  }

  /// What is wrong, for an error.
  String words() {
    return "--device-id is '%s': this node has no such device; give all, none, or any of %s"
        .formatted(String.join(",", unknown), String.join(", ", names));
  }

  private static List<Gpu> selected(List<String> ids, Gpu gpu) {
    return switch (gpu.mig()) {
      case Mig.NotCapable _, Mig.Disabled _ ->
          names(gpu).anyMatch(ids::contains) ? List.of(gpu) : List.of();
      case Mig.Enabled enabled -> {
        List<MigDevice> wanted =
            enabled.devices().stream()
                .filter(device -> names(gpu, device).anyMatch(ids::contains))
                .toList();
        yield wanted.isEmpty() ? List.of() : List.of(with(gpu, enabled.with(wanted)));
      }
    };
  }

  private static Gpu with(Gpu gpu, Mig mig) {
    return new Gpu(gpu.index(), gpu.minor(), gpu.uuid(), gpu.board(), gpu.pci(), mig, gpu.fabric());
  }

  private static Stream<String> names(Gpu gpu) {
    return Stream.of(String.valueOf(gpu.index()), gpu.uuid());
  }

  private static Stream<String> names(Gpu gpu, MigDevice device) {
    return Stream.of(gpu.index() + ":" + device.index(), device.uuid());
  }
}
