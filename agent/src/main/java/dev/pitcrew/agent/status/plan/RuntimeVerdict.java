package dev.pitcrew.agent.status.plan;

import static dev.pitcrew.api.node.NodeCondition.RUNTIME_READY;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.agent.nri.NriState;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.node.NriPhase;
import dev.pitcrew.api.node.RuntimeStatus;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What is said of the container runtime: the condition, and the section of the status.
final class RuntimeVerdict {
  /// No pod of the RuntimeClass starts on the node.
  static final String NO_HANDLER = "NoRuntimeHandler";

  private RuntimeVerdict() {}

  /// Empty where the agent does not set the runtime up.
  static Optional<Verdict> of(NodeFacts facts) {
    RuntimeFacts runtime = facts.runtime();
    Verdict unseen = Verdict.notYet(RUNTIME_READY, "the container runtime was not looked at yet");
    return runtime
        .state()
        .map(state -> verdict(state, runtime))
        .or(() -> Optional.of(unseen).filter(_ -> runtime.isOurs()));
  }

  private static Verdict verdict(RuntimeState state, RuntimeFacts runtime) {
    return switch (state.phase()) {
      case READY -> served(state.phase().text(), state.message(), runtime);
      case LEFT_ALONE -> leftAlone(state, runtime);
      case REFUSED, NOT_WRITTEN, NOT_BACK, UNDONE ->
          runtime.handlerFiles().isEmpty()
              ? Verdict.no(
                  RUNTIME_READY,
                  NO_HANDLER,
                  state.message() + "; pods of the RuntimeClass nvidia do not start")
              : Verdict.no(RUNTIME_READY, state.phase().text(), state.message());
      case CDI_DISABLED, NOT_RESTARTED ->
          Verdict.no(RUNTIME_READY, state.phase().text(), state.message());
    };
  }

  private static Verdict leftAlone(RuntimeState state, RuntimeFacts runtime) {
    if (runtime.handlerFiles().isEmpty()) {
      return Verdict.no(
          RUNTIME_READY,
          NO_HANDLER,
          state.message()
              + "; and no file of a runtime has the handler, so pods of the RuntimeClass nvidia do not start: add it as the provider of the host documents");
    }
    return served(
        state.phase().text(),
        "%s; the handler is in %s".formatted(state.message(), runtime.handlerFiles().getFirst()),
        runtime);
  }

  /// Pods that ask for resources get their GPUs without any plugin.
  private static Verdict served(String reason, String message, RuntimeFacts runtime) {
    if (runtime.hookProblem().isPresent()) {
      return Verdict.no(
          RUNTIME_READY,
          NodeProblem.Cause.CDI_HOOK_CANNOT_RUN.reason(),
          message
              + "; but no container starts that asks for GPUs by variable: "
              + runtime.hookProblem().get());
    }
    Optional<NriState> unserved = runtime.nri().filter(it -> !it.isServed());
    return unserved
        .map(
            it -> Verdict.yes(RUNTIME_READY, it.reason().text(), message + "; but " + it.message()))
        .orElseGet(() ->
            Verdict.yes(
                RUNTIME_READY,
                reason,
                message + runtime.nri().map(it -> "; " + it.message()).orElse("")));
  }

  static RuntimeStatus section(NodeFacts facts, RuntimeStatus before) {
    Optional<RuntimeState> state = facts.runtime().state();
    return state
        .map(it ->
            new RuntimeStatus(
                SchemaLimits.nameOrNull(it.name(), SchemaLimits.NAME),
                SchemaLimits.nameOrNull(it.version(), SchemaLimits.PRODUCT),
                SchemaLimits.nameOrNull(it.configFile(), SchemaLimits.CONFIG),
                it.handlers().isEmpty() ? Absent.list() : it.handlers(),
                nri(facts.runtime()),
                Map.of()))
        .orElseGet(() -> facts.runtime().isOurs() ? before : RuntimeStatus.ABSENT);
  }

  private static @Nullable NriPhase nri(RuntimeFacts runtime) {
    return runtime
        .nri()
        .map(it ->
            switch (it.reason()) {
              case SERVED, WITHOUT_CDI -> NriPhase.ON;
              case NOT_SERVED -> NriPhase.ABSENT;
              case REFUSED, SILENT, CLOSED -> NriPhase.CLOSED;
            })
        .orElse(null);
  }
}
