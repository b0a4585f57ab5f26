package dev.pitcrew.agent.status.plan;

import static dev.pitcrew.api.node.NodeCondition.VALIDATED;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.agent.validation.Check;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.ValidationCheck;
import dev.pitcrew.api.node.ValidationState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What is said of a validation: the condition, and the table that it sums up.
final class ValidatedVerdict {
  private ValidatedVerdict() {}

  /// Empty where the agent does not validate.
  static Optional<Verdict> of(NodeFacts facts) {
    return facts.validation().flatMap(Validation::table).map(ValidatedVerdict::verdict);
  }

  private static Verdict verdict(List<Check> table) {
    List<Check> failed = table.stream().filter(Check::isFailed).toList();
    if (!failed.isEmpty()) {
      return Verdict.no(
          VALIDATED,
          failed.getFirst().reason(),
          failed.stream()
              .map(check -> check.component().text() + ": " + check.message())
              .collect(Collectors.joining("; ")));
    }
    List<Check> open = table.stream().filter(check -> !check.isSettled()).toList();
    return open.isEmpty()
        ? Verdict.yes(VALIDATED, "Validated", passed(table))
        : Verdict.notYet(VALIDATED, open.getFirst().component().text() + " is still looked at");
  }

  /// What is not known is said besides.
  private static String passed(List<Check> table) {
    Stream<String> works =
        Stream.of(
            table.stream()
                .filter(check -> check.isPassed() && check.reason().isEmpty())
                .map(check -> check.component().text())
                .collect(Collectors.joining(", ", "these work: ", "")));
    Stream<String> unknown =
        table.stream()
            .filter(check -> check.isPassed() && !check.reason().isEmpty())
            .map(check -> check.component().text() + ": " + check.message());
    return Stream.concat(works, unknown).collect(Collectors.joining("; "));
  }

  /// As GPUNode has it. A check keeps its time as long as its state stays.
  static List<ValidationCheck> table(NodeFacts facts, GpuNodeStatus before, Instant now) {
    return facts
        .validation()
        .flatMap(Validation::table)
        .map(table -> table.stream().map(check -> check(check, before, now)).toList())
        .orElseGet(() -> facts.validation().isEmpty() ? before.validation() : Absent.list());
  }

  /// What is unknown stays as last reported, so that a restart is no change.
  private static ValidationCheck check(Check check, GpuNodeStatus before, Instant now) {
    String name = check.component().text();
    ValidationState state = check.state();
    Optional<ValidationCheck> last =
        before.validation().stream().filter(it -> it.name().equals(name)).findFirst();
    if (last.isPresent() && state == ValidationState.UNKNOWN) {
      return last.get();
    }
    String since =
        last.filter(it -> it.state() == state)
            .map(ValidationCheck::since)
            .orElse(HealthFindings.seconds(now));
    return new ValidationCheck(
        name,
        state,
        reason(check),
        SchemaLimits.text(check.message(), SchemaLimits.CHECK),
        since,
        Map.of());
  }

  private static @Nullable String reason(Check check) {
    return check.reason().isEmpty() ? null : check.reason();
  }
}
