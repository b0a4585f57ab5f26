package dev.pitcrew.core.fleet;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What one GPUNode says, as far as the fleet is counted by it.
///
/// @param reason of its condition Ready; [#NOT_REPORTED] where it has none
/// @param gpus how many it has, also where none is listed
/// @param levels of the GPUs that are listed; an empty text where one is not known
/// @param whole whether pods ask for whole GPUs of it, and not for shares, parts or claims
/// @param offersDevices whether the kubelet has its devices, as far as the agent offers them
/// @param driver its version, empty while there is none
public record NodeReport(
    boolean ready,
    String reason,
    long gpus,
    List<String> levels,
    boolean whole,
    boolean offersDevices,
    String driver) {

  /// The reason of a node whose agent has not reported whether it is ready.
  public static final String NOT_REPORTED = "NotReportedYet";

  private static final String MAKER = "NVIDIA ";
  private static final String NO_SHARING = "None";
  private static final String BY_CLAIMS = "AllocatedByClaims";

  public NodeReport {
    levels = List.copyOf(levels);
  }

  /// @param divided whether a GPU has MIG instances
  /// @param sharing how pods share a GPU: `None`, `TimeSlicing`, `MPS`, or empty
  /// @param offerReason of the condition DevicesAdvertised, empty where it has none
  public static boolean isWhole(boolean divided, String sharing, String offerReason) {
    return !divided
        && (sharing.isEmpty() || sharing.equals(NO_SHARING))
        && !offerReason.equals(BY_CLAIMS);
  }

  /// The products of GPUs, most of one first, without the name of the maker.
  public static String products(Stream<String> products) {
    return products
        .map(product -> product.startsWith(MAKER) ? product.substring(MAKER.length()) : product)
        .filter(product -> !product.isEmpty())
        .collect(Collectors.groupingBy(product -> product, Collectors.summingInt(_ -> 1)))
        .entrySet()
        .stream()
        .sorted(FleetFigures.MOST_FIRST)
        .map(it -> it.getKey())
        .collect(Collectors.joining(", "));
  }

  /// GPUs that no pod gets.
  public long unhealthy() {
    return levels.stream().filter(HealthLevels::isUnhealthy).count();
  }

  /// GPUs that pods can have, whether or not one has them.
  public long allocatable() {
    return allocatable(gpus, levels, offersDevices);
  }

  /// The same of a node that is about to report.
  public static long allocatable(long gpus, List<String> levels, boolean offersDevices) {
    long unhealthy = levels.stream().filter(HealthLevels::isUnhealthy).count();
    return offersDevices ? Math.max(0, gpus - unhealthy) : 0;
  }
}
