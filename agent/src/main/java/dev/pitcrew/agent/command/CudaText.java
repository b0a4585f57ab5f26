package dev.pitcrew.agent.command;

import dev.pitcrew.agent.cuda.CheckedGpu;
import dev.pitcrew.agent.cuda.CudaTarget;
import dev.pitcrew.agent.cuda.OutcomeText;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Checked GPUs for people and for programs.
final class CudaText {
  private static final String ROW = "%-14s %-41s %-10s %s\n";

  private CudaText() {}

  static String names(List<CudaTarget> targets) {
    return targets.stream()
        .map(target -> "%s (%s)".formatted(target.index(), target.uuid()))
        .collect(Collectors.joining(", "));
  }

  static String table(List<CheckedGpu> checked) {
    return checked.stream()
        .map(CudaText::row)
        .collect(Collectors.joining("", ROW.formatted("DEVICE", "UUID", "RESULT", "DETAIL"), ""));
  }

  private static String row(CheckedGpu gpu) {
    String remedy = OutcomeText.remedy(gpu.outcome());
    return ROW.formatted(
        gpu.name(),
        gpu.uuid(),
        OutcomeText.word(gpu.outcome()),
        OutcomeText.meaning(gpu.outcome()) + (remedy.isEmpty() ? "" : "; " + remedy));
  }

  static Map<String, Object> view(List<CheckedGpu> checked) {
    return Map.of("gpus", checked.stream().map(CudaText::view).toList());
  }

  private static Map<String, Object> view(CheckedGpu gpu) {
    var view = new LinkedHashMap<String, Object>();
    view.put("device", gpu.name());
    view.put("uuid", gpu.uuid());
    view.put("works", gpu.outcome().standing() == CudaOutcome.Standing.WORKS);
    view.put("result", OutcomeText.word(gpu.outcome()));
    view.put("detail", OutcomeText.meaning(gpu.outcome()));
    view.put("remedy", OutcomeText.remedy(gpu.outcome()));
    return view;
  }
}
