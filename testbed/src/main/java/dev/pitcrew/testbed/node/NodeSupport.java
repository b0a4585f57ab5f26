package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.binaries.Progress;
import java.util.List;

/// Whether this machine can run real nodes.
public sealed interface NodeSupport {
  record Available() implements NodeSupport {}

  /// @param missing what is missing, each with what would help
  record Unavailable(List<String> missing) implements NodeSupport {
    public Unavailable {
      missing = List.copyOf(missing);
    }
  }

  /// Looks at this machine, and installs missing system packages where root has apt-get.
  static NodeSupport ofThisMachine(Progress progress) {
    return new MachineCheck(progress).support();
  }

  default boolean isAvailable() {
    return this instanceof Available;
  }

  /// One sentence for a person.
  default String explanation() {
    return switch (this) {
      case Available _ -> "this machine can run real nodes";
      case Unavailable(var missing) ->
          "this machine cannot run real nodes: " + String.join("; ", missing);
    };
  }
}
