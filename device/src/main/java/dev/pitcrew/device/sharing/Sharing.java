package dev.pitcrew.device.sharing;

import java.util.List;
import java.util.Optional;

/// Which resources are offered more than once.
///
/// @param resources in the order of the configuration; empty with [Strategy#NONE]
public record Sharing(
    Strategy strategy, List<SharedResource> resources, boolean failRequestsGreaterThanOne) {
  public static final Sharing NONE = new Sharing(Strategy.NONE, List.of(), false);

  public Sharing {
    resources = List.copyOf(resources);
  }

  /// The entry of a resource by its full name, such as `nvidia.com/gpu`.
  public Optional<SharedResource> of(String resource) {
    return resources.stream().filter(shared -> shared.resource().equals(resource)).findFirst();
  }

  /// How processes share a GPU.
  public enum Strategy {
    NONE("none"),
    TIME_SLICING("time-slicing"),
    MPS("mps");

    private final String value;

    Strategy(String value) {
      this.value = value;
    }

    /// As the label `nvidia.com/gpu.sharing-strategy` says it.
    public String value() {
      return value;
    }
  }

  /// One resource that is shared.
  ///
  /// @param resource its full name
  /// @param rename the full name under which the replicas are offered; empty keeps the name
  /// @param replicas how often each device is offered, 2 or more
  public record SharedResource(
      String resource, Optional<String> rename, DeviceSelection devices, int replicas) {

    /// The full name under which the replicas are offered.
    public String offeredAs() {
      return rename.orElse(resource);
    }
  }

  /// Which devices of a resource are shared; the others are offered once.
  public sealed interface DeviceSelection {
    record All() implements DeviceSelection {}

    /// The first `count` by index.
    record First(int count) implements DeviceSelection {}

    /// @param references indexes (`0`), MIG indexes (`0:1`) or UUIDs
    record Listed(List<String> references) implements DeviceSelection {
      public Listed {
        references = List.copyOf(references);
      }
    }
  }
}
