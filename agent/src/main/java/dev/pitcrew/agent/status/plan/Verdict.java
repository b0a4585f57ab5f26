package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// What is said in a condition.
///
/// @param reason in CamelCase, for programs
/// @param message in plain words, for people
record Verdict(NodeCondition type, String status, String reason, String message) {
  static final String TRUE = "True";
  static final String FALSE = "False";
  static final String UNKNOWN = "Unknown";

  /// Nothing was looked at yet, so that nothing is reported.
  static final String NOT_YET_KNOWN = "NotYetKnown";

  static Verdict yes(NodeCondition type, String reason, String message) {
    return new Verdict(type, TRUE, reason, message);
  }

  static Verdict no(NodeCondition type, String reason, String message) {
    return new Verdict(type, FALSE, reason, message);
  }

  static Verdict notYet(NodeCondition type, String message) {
    return new Verdict(type, UNKNOWN, NOT_YET_KNOWN, message);
  }

  /// As the object has it: a status keeps the time of its last change, and what is not known yet
  /// stays what was said last, so that a restart changes nothing.
  Condition condition(GpuNodeStatus before, Instant now) {
    Optional<Condition> last = before.condition(type);
    if (last.isPresent() && reason.equals(NOT_YET_KNOWN)) {
      return last.get();
    }
    return new Condition(
        type.type(),
        status,
        null,
        last.filter(it -> it.status().equals(status))
            .map(Condition::lastTransitionTime)
            .orElse(HealthFindings.seconds(now)),
        reason,
        SchemaLimits.text(message, SchemaLimits.MESSAGE),
        Map.of());
  }
}
