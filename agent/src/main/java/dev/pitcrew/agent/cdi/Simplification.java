package dev.pitcrew.agent.cdi;

import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import java.util.Comparator;
import java.util.function.Function;

/// Brings a specification into the one order in which it is written, without repetitions, so that
/// equal nodes have equal files.
final class Simplification {
  private static final Comparator<String> SHALLOW_FIRST =
      Comparator.<String>comparingLong(path -> path.chars().filter(c -> c == '/').count())
          .thenComparing(Function.identity());

  private Simplification() {}

  static CdiSpecification of(CdiSpecification specification) {
    ContainerEdits common = inOrder(specification.common());
    return new CdiSpecification(
        specification.kind(),
        specification.devices().stream()
            .map(device -> new CdiDevice(device.name(), own(device.edits(), common)))
            .sorted(Comparator.comparing(CdiDevice::name))
            .toList(),
        common,
        specification.owner());
  }

  /// A device may not be empty, so one that has nothing of its own keeps what all have.
  private static ContainerEdits own(ContainerEdits edits, ContainerEdits common) {
    ContainerEdits own = edits.without(common);
    return inOrder(own.isEmpty() ? edits : own);
  }

  private static ContainerEdits inOrder(ContainerEdits edits) {
    return new ContainerEdits(
        edits.env().stream().distinct().toList(),
        edits.deviceNodes().stream()
            .distinct()
            .sorted(Comparator.comparing(DeviceNodeEdit::path, SHALLOW_FIRST))
            .toList(),
        edits.hooks().stream().distinct().toList(),
        edits.mounts().stream()
            .distinct()
            .sorted(Comparator.comparing(Mount::containerPath, SHALLOW_FIRST))
            .toList(),
        edits.additionalGroups().stream().distinct().sorted().toList());
  }
}
