package dev.pitcrew.agent.cdi;

import java.util.stream.Stream;

/// The oldest version of the Container Device Interface that has all that a specification uses, so
/// that old runtimes take it (the interface's own rule, SPEC.md "Released versions").
final class MinimumVersion {
  private MinimumVersion() {}

  static String of(CdiSpecification specification) {
    if (edits(specification).anyMatch(edits -> !edits.additionalGroups().isEmpty())) {
      return "0.7.0";
    }
    if (specification.kind().deviceClass().contains(".")) {
      return "0.6.0";
    }
    if (edits(specification).anyMatch(MinimumVersion::hasHostPath)
        || specification.devices().stream().anyMatch(MinimumVersion::startsWithDigit)) {
      return "0.5.0";
    }
    return "0.3.0";
  }

  private static Stream<ContainerEdits> edits(CdiSpecification specification) {
    return Stream.concat(
        Stream.of(specification.common()), specification.devices().stream().map(CdiDevice::edits));
  }

  private static boolean hasHostPath(ContainerEdits edits) {
    return edits.deviceNodes().stream().anyMatch(node -> node.hostPath().isPresent());
  }

  private static boolean startsWithDigit(CdiDevice device) {
    return Character.isDigit(device.name().charAt(0));
  }
}
