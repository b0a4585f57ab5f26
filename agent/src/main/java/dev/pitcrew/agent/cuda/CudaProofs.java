package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.Standing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Which GPUs have proved that they compute under one load of the driver, for the next agent of the
/// node: it asks none of them again.
///
/// @param load names the load of the driver
/// @param gpus by the UUID of the GPU
public record CudaProofs(String load, Map<String, CudaOutcome> gpus) {
  private static final String TITLE = "pitcrew-cuda-proofs 1 ";
  private static final String TAB = "\t";

  public CudaProofs {
    gpus = Map.copyOf(gpus);
  }

  /// @param found of which only what proves something is kept
  public static CudaProofs of(String load, Map<String, CudaOutcome> found) {
    return new CudaProofs(
        load,
        found.entrySet().stream()
            .filter(it -> it.getValue().standing() == Standing.WORKS)
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  public String text() {
    return new TreeMap<>(gpus)
        .entrySet().stream()
            .map(it -> it.getKey() + TAB + OutcomeLine.write(it.getValue()) + "\n")
            .collect(Collectors.joining("", TITLE + load + "\n", ""));
  }

  /// @return empty where it is of another load, or not what [#text] writes; a line that is not, is
  ///   left out
  public static Optional<CudaProofs> read(String text, String load) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.getFirst().equals(TITLE + load)) {
      return Optional.empty();
    }
    var found = new TreeMap<String, CudaOutcome>();
    for (String line : lines.subList(1, lines.size())) {
      int tab = line.indexOf(TAB);
      if (tab > 0) {
        OutcomeLine.read(line.substring(tab + 1))
            .ifPresent(outcome -> found.put(line.substring(0, tab), outcome));
      }
    }
    return Optional.of(of(load, found));
  }
}
