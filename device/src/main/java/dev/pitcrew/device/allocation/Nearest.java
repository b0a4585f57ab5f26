package dev.pitcrew.device.allocation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// A set of GPUs near each other, for nodes with more GPUs than all partitions can be compared for:
/// from the required ones on, always the GPU that adds most.
final class Nearest {

  private Nearest() {}

  /// @param gpus how many there are to choose from
  /// @param required places among them
  static List<Integer> of(PairScores scores, int gpus, int size, List<Integer> required) {
    List<Integer> set = new ArrayList<>(required);
    while (set.size() < size) {
      set.add(
          IntStream.range(0, gpus)
              .boxed()
              .filter(place -> !set.contains(place))
              .max(
                  Comparator.comparingInt((Integer place) -> gain(scores, set, place))
                      .thenComparing(Comparator.reverseOrder()))
              .orElseThrow());
    }
    return set.stream().sorted().toList();
  }

  private static int gain(PairScores scores, List<Integer> set, int place) {
    return set.stream().mapToInt(other -> scores.between(other, place)).sum();
  }
}
