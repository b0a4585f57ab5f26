package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// What a FleetPolicy has come to.
public record FleetPolicyStatus(
    List<Condition> conditions,
    List<OperandStatus> operands,
    FleetSummary summary,
    FleetRollout rollout,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetPolicyStatus ABSENT = Absent.of(FleetPolicyStatus.class);

  public FleetPolicyStatus {
    conditions = Absent.orList(conditions);
    operands = Absent.orList(operands);
    summary = Objects.requireNonNullElse(summary, FleetSummary.ABSENT);
    rollout = Objects.requireNonNullElse(rollout, FleetRollout.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
