package dev.pitcrew.agent.driver.plan;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.names.PauseWord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The labels of a Node by which the users of its driver are taken off it.
///
/// @param custom another label of that kind, of an operand that is not the operator's
public record OperandLabels(Optional<String> custom) {
  public static final String DRIVER = NodeLabels.DEPLOY_PREFIX + "driver";

  /// The value for a driver that the user installs on the host.
  public static final String PRE_INSTALLED = "pre-installed";

  private static Stream<String> ofOperator() {
    return Stream.of(
            "operator-validator",
            "container-toolkit",
            "device-plugin",
            "gpu-feature-discovery",
            "dcgm-exporter",
            "dcgm",
            "mig-manager",
            "nvsm",
            "sandbox-validator",
            "sandbox-device-plugin",
            "vgpu-device-manager",
            "client",
            "dra-driver",
            "dra-validator",
            "dcgm-dra",
            "dcgm-exporter-dra")
        .map(NodeLabels.DEPLOY_PREFIX::concat);
  }

  /// What has to be written to pause all operands; empty where all are paused, or turned off.
  Map<String, String> toPause(Map<String, String> labels) {
    return changes(labels, PauseWord::paused);
  }

  /// What has to be written for the agent to release the driver, which it does for the pause word
  /// in any label of the operator: it may watch GPUs where all operands are turned off. Empty where
  /// the word is already written, or no such label exists.
  Map<String, String> toPauseAgent(Map<String, String> labels) {
    List<String> set = ofOperator().filter(key -> !labels.getOrDefault(key, "").isEmpty()).toList();
    return set.stream().map(key -> labels.getOrDefault(key, "")).anyMatch(PauseWord::isIn)
        ? Map.of()
        : set.stream()
            .limit(1)
            .collect(
                Collectors.toMap(
                    key -> key, key -> PauseWord.beside(labels.getOrDefault(key, ""))));
  }

  /// What has to be written to end every pause of ours.
  public Map<String, String> toResume(Map<String, String> labels) {
    return changes(labels, PauseWord::resumed);
  }

  /// Only labels that are there: one that was never set needs no pause.
  private Map<String, String> changes(Map<String, String> labels, UnaryOperator<String> change) {
    var changes = new TreeMap<String, String>();
    Stream.concat(ofOperator(), custom.stream())
        .filter(labels::containsKey)
        .forEach(key -> {
          String now = labels.getOrDefault(key, "");
          String wanted = change.apply(now);
          if (!wanted.equals(now)) {
            changes.put(key, wanted);
          }
        });
    return changes;
  }
}
