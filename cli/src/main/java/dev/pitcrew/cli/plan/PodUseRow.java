package dev.pitcrew.cli.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// How much a pod uses of the GPUs and MIG devices that it has.
///
/// @param gpus of the node, such as `0` and `3/5`
/// @param utilisationPercent the mean of them
/// @param utilisationOf whose it is: of the pod alone, an estimate for the pod among those that
///   share the GPU, or of the whole GPU, as there is no estimate
public record PodUseRow(
    String namespace,
    String pod,
    String node,
    List<String> gpus,
    Optional<Double> utilisationPercent,
    Measure utilisationOf,
    Optional<Double> memoryUsedMib,
    Measure memoryOf) {

  /// What a value is of.
  public enum Measure {
    POD,
    ESTIMATE,
    WHOLE_GPU
  }

  private record Share(UseRow row, UseRow.PodUse pod) {}

  /// The most used first.
  public static List<PodUseRow> of(Collection<UseRow> rows) {
    var byPod = new TreeMap<String, List<Share>>();
    rows.forEach(row ->
        row.pods()
            .forEach(pod ->
                byPod
                    .computeIfAbsent(pod.id() + " " + row.node(), _ -> new ArrayList<>())
                    .add(new Share(row, pod))));
    return byPod.values().stream()
        .map(PodUseRow::row)
        .sorted(Comparator.comparingDouble((PodUseRow it) -> -it.utilisationPercent().orElse(-1.0)))
        .toList();
  }

  private static PodUseRow row(List<Share> shares) {
    Share first = shares.getFirst();
    List<UseRow> rows = shares.stream().map(Share::row).toList();
    boolean isShared = shares.stream().anyMatch(it -> it.pod().shared());
    boolean isTimeEstimated =
        shares.stream().anyMatch(it -> it.pod().utilisationPercentEstimate().isPresent());
    boolean isMemoryEstimated =
        shares.stream().anyMatch(it -> it.pod().memoryUsedMibEstimate().isPresent());
    List<Double> used =
        isTimeEstimated
            ? shares.stream()
                .flatMap(it ->
                    (it.pod().shared()
                            ? it.pod().utilisationPercentEstimate()
                            : it.row().utilisationPercent())
                        .stream())
                .toList()
            : NodeUseRow.known(rows, UseRow::utilisationPercent);
    List<Double> memory =
        isMemoryEstimated
            ? shares.stream()
                .flatMap(it ->
                    (it.pod().shared()
                            ? it.pod().memoryUsedMibEstimate()
                            : it.row().memoryUsedMib())
                        .stream())
                .toList()
            : NodeUseRow.known(rows, UseRow::memoryUsedMib);
    return new PodUseRow(
        first.pod().namespace(),
        first.pod().pod(),
        first.row().node(),
        rows.stream().map(UseRow::gpu).sorted().toList(),
        NodeUseRow.sum(used).map(it -> it / used.size()),
        measure(isShared, isTimeEstimated),
        NodeUseRow.sum(memory),
        measure(isShared, isMemoryEstimated));
  }

  private static Measure measure(boolean isShared, boolean isEstimated) {
    if (!isShared) {
      return Measure.POD;
    }
    return isEstimated ? Measure.ESTIMATE : Measure.WHOLE_GPU;
  }
}
