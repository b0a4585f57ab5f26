package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.validation.plan.Wanted;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All that a validation is made of.
///
/// @param hasNetworkCard whether there is a network card of Mellanox on the bus
/// @param mofedIsReady whether a container with the network driver says that it is up
/// @param handlers the files in which the container runtime's handler for GPUs was found
public record ValidationFacts(
    DriverFacts driver,
    Wanted wanted,
    boolean hasNetworkCard,
    boolean mofedIsReady,
    List<String> handlers,
    Cdi cdi,
    Cuda cuda,
    Plugin plugin) {
  public ValidationFacts {
    handlers = List.copyOf(handlers);
  }

  /// The CDI specifications for GPUs.
  ///
  /// @param isNeeded whether pods get their GPUs by them
  public record Cdi(boolean isNeeded, List<SpecificationFile> files) {
    public Cdi {
      files = List.copyOf(files);
    }
  }

  /// What came of a kernel on each GPU.
  ///
  /// @param isWanted whether the user asked for it
  /// @param verdict empty until the last GPU was checked
  public record Cuda(boolean isWanted, Optional<CudaVerdict> verdict) {
    public static final Cuda NOT_WANTED = new Cuda(false, Optional.empty());
  }

  /// A file with a CDI specification.
  ///
  /// @param problem why it cannot be used at all
  /// @param missing what it names and the host does not have
  public record SpecificationFile(String path, Optional<String> problem, List<String> missing) {
    public SpecificationFile {
      missing = List.copyOf(missing);
    }
  }

  /// What the kubelet was offered, and what the Node says of it.
  ///
  /// @param isOffered whether the agent is the one who offers
  /// @param healthy devices that are in order, by resource; empty before the first offer
  /// @param byClaims how many GPUs are not offered because ResourceClaims allocate them
  /// @param problems why the kubelet does not have a resource
  /// @param allocatable extended resources of the Node; empty where the Node was not seen
  /// @param isLate whether the Node has differed for longer than a kubelet needs
  public record Plugin(
      boolean isOffered,
      Optional<Map<String, Integer>> healthy,
      int byClaims,
      List<String> problems,
      Optional<Map<String, Integer>> allocatable,
      boolean isLate) {
    public static final Plugin UNSEEN =
        new Plugin(false, Optional.empty(), 0, List.of(), Optional.empty(), false);

    public Plugin {
      healthy = healthy.map(Map::copyOf);
      problems = List.copyOf(problems);
      allocatable = allocatable.map(Map::copyOf);
    }

    /// Whether the Node shows what the kubelet was offered.
    public boolean agrees() {
      return healthy
          .filter(advertised ->
              allocatable
                  .filter(node ->
                      advertised.entrySet().stream()
                          .allMatch(it -> node.getOrDefault(it.getKey(), 0).equals(it.getValue())))
                  .isPresent())
          .isPresent();
    }
  }
}
