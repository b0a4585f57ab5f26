package dev.pitcrew.agent.process;

import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.SettingsProblem;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs what runs on this node, and why other functions do not, whenever that changes.
final class SettingsLog implements Controller<Settings> {
  private static final Logger LOG = LoggerFactory.getLogger(SettingsLog.class);

  private final ProblemLog problems = new ProblemLog(LOG);
  private Optional<String> logged = Optional.empty();

  @Override
  public Duration reconcile(Settings settings) {
    String functions =
        Arrays.stream(NodeFunction.values())
            .map(function -> name(function) + " " + words(settings.state(function)))
            .collect(Collectors.joining("; "));
    if (!logged.equals(Optional.of(functions))) {
      LOG.atInfo().log("on this node: {}", functions);
      logged = Optional.of(functions);
    }
    problems.lines(settings.problems().stream().map(SettingsProblem::message).toList());
    return RESYNC;
  }

  private static String name(NodeFunction function) {
    return switch (function) {
      case FEATURE_LABELS -> "feature labels";
      case GPU_LABELS -> "GPU labels";
      case DEVICE_PLUGIN -> "device plugin";
      case MPS -> "MPS";
      case CDI -> "CDI";
      case RUNTIME -> "runtime";
      case VALIDATION -> "validation";
      case NODE_STATUS -> "node status";
      case METRICS -> "metrics";
      case MIG -> "MIG";
      case HEALTH -> "health";
      case DRA -> "DRA";
    };
  }

  private static String words(FunctionState state) {
    return switch (state) {
      case FunctionState.On() -> "on";
      case FunctionState.Off(var why) -> "off (" + why + ")";
      case FunctionState.Paused(var by) -> "paused (" + by + ")";
    };
  }
}
