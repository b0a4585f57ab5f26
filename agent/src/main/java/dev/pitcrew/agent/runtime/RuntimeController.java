package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.agent.runtime.plan.WantedRuntime;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.RuntimeSettings;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.core.Backoff;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the node's container runtime set up for pods with GPUs, and removes that setup where the
/// function is switched off. It reports what it finds.
public final class RuntimeController implements Controller<RuntimeController.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(RuntimeController.class);
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(30);

  /// Each try restarts the runtime twice.
  private static final Backoff AFTER_RESTARTS =
      new Backoff(UNTIL_TRIED_AGAIN, Duration.ofMinutes(10));

  private final AgentContext place;
  private final StateFolder state;
  private final Consumer<Optional<RuntimeState>> states;
  private final LongSupplier nanoTime;
  private final ProblemLog unsettled = new ProblemLog(LOG);
  private Optional<Subject> last = Optional.empty();
  private Optional<Retry> retry = Optional.empty();

  public RuntimeController(
      AgentContext place, StateFolder state, Consumer<Optional<RuntimeState>> states) {
    this(place, state, states, System::nanoTime);
  }

  public RuntimeController(
      AgentContext place,
      StateFolder state,
      Consumer<Optional<RuntimeState>> states,
      LongSupplier nanoTime) {
    this.place = place;
    this.state = state;
    this.states = states;
    this.nanoTime = nanoTime;
  }

  /// @param leftAlone why the host's runtime is not the agent's to set up
  /// @param byCdi the list strategies of the device plugin that need CDI
  public record Input(
      FunctionState state,
      RuntimeSettings runtime,
      Optional<String> leftAlone,
      List<String> byCdi) {}

  /// What a look at the runtime depends on; the same again needs none.
  ///
  /// @param byCdi the list strategies of the device plugin that need CDI
  /// @param files when and how large each of the runtime's files was
  private record Subject(
      Optional<RuntimeSettings> settings,
      Optional<String> leftAlone,
      List<String> byCdi,
      List<String> files) {}

  /// A restart that failed, and when the same is tried again.
  private record Retry(Subject subject, int failures, long atNanos) {}

  @Override
  public Duration reconcile(Input input) throws InterruptedException {
    return switch (input.state()) {
      case FunctionState.Paused(_) -> RESYNC;
      case FunctionState.On() -> setUp(input.runtime(), input.leftAlone(), input.byCdi());
      case FunctionState.Off(_) -> undo();
    };
  }

  public Duration setUp(RuntimeSettings settings, Optional<String> leftAlone, List<String> byCdi)
      throws InterruptedException {
    Optional<RuntimePlace> runtime = place(settings, place.host());
    var subject = new Subject(Optional.of(settings), leftAlone, byCdi, files(runtime));
    if (last.filter(subject::equals).isPresent()) {
      return RESYNC;
    }
    Optional<Retry> due = retry.filter(it -> it.subject().equals(subject));
    long left = due.map(it -> it.atNanos() - nanoTime.getAsLong()).orElse(0L);
    if (left > 0) {
      return Duration.ofNanos(left);
    }
    RuntimeState found = found(subject, runtime);
    states.accept(Optional.of(found));
    boolean isSettled = found.phase() == Phase.READY || found.phase() == Phase.LEFT_ALONE;
    unsettled.lines(isSettled ? List.of() : List.of(found.message()));
    var after = new Subject(Optional.of(settings), leftAlone, byCdi, files(runtime));
    last = Optional.of(after).filter(_ -> isSettled);
    if (found.phase() != Phase.NOT_BACK) {
      retry = Optional.empty();
      return isSettled ? RESYNC : UNTIL_TRIED_AGAIN;
    }
    int failures = due.map(Retry::failures).orElse(0) + 1;
    Duration pause = AFTER_RESTARTS.ceiling(failures);
    retry = Optional.of(new Retry(after, failures, nanoTime.getAsLong() + pause.toNanos()));
    return pause;
  }

  private RuntimeState found(Subject subject, Optional<RuntimePlace> runtime)
      throws InterruptedException {
    RuntimeSettings settings = subject.settings().orElseThrow();
    Optional<String> reason =
        subject
            .leftAlone()
            .or(() ->
                Optional.of("ClusterPolicy spec.toolkit.env[NO_RUNTIME_CONFIG] is true")
                    .filter(_ -> !settings.isEdited()));
    if (reason.isPresent()) {
      return leftAlone(subject.byCdi(), runtime, "the runtime is left alone: " + reason.get());
    }
    if (runtime.isEmpty()) {
      return unedited(
          Phase.REFUSED,
          runtime,
          "no container runtime answers where containerd, CRI-O and Docker usually do: name it and its socket (ClusterPolicy spec.toolkit.env RUNTIME and RUNTIME_SOCKET)");
    }
    return setup(runtime.get()).apply(new WantedRuntime(settings.handlers(), settings.cdi(), true));
  }

  private RuntimeState leftAlone(List<String> byCdi, Optional<RuntimePlace> runtime, String why) {
    Optional<LeftAloneRuntime> refusing =
        byCdi.isEmpty()
            ? Optional.empty()
            : LeftAloneRuntime.of(place.host(), runtime).filter(it -> it.refusesCdi(place.host()));
    return refusing
        .map(it ->
            new RuntimeState(
                Phase.CDI_DISABLED,
                RuntimeKind.CONTAINERD.value(),
                "",
                it.config(),
                List.of(),
                "%s; and its containerd has enable_cdi off, so pods that the device plugin gives GPUs by %s start without them: %s"
                    .formatted(why, String.join(" and ", byCdi), it.remedy())))
        .orElseGet(() -> unedited(Phase.LEFT_ALONE, runtime, why));
  }

  private static RuntimeState unedited(Phase phase, Optional<RuntimePlace> runtime, String why) {
    return new RuntimeState(
        phase,
        runtime.map(it -> it.kind().value()).orElse(""),
        "",
        runtime.map(RuntimePlace::mainPath).orElse(""),
        List.of(),
        why);
  }

  /// For an agent that is the last of its node; paused or not, and once.
  public void leave() throws InterruptedException {
    LOG.atInfo().log("no agent follows; removing the configuration of the runtime");
    undo();
  }

  /// Changes and reports nothing for a runtime that the agent has never set up.
  private Duration undo() throws InterruptedException {
    var subject = new Subject(Optional.empty(), Optional.empty(), List.of(), List.of());
    if (last.filter(subject::equals).isPresent()) {
      return RESYNC;
    }
    Optional<RuntimePlace> edited = RuntimeSetup.editedPlace(state);
    if (edited.isEmpty()) {
      last = Optional.of(subject);
      states.accept(Optional.empty());
      return RESYNC;
    }
    RuntimeState found = setup(edited.get()).undo();
    boolean isUndone = found.phase() == Phase.UNDONE;
    states.accept(Optional.of(found).filter(_ -> !isUndone));
    last = Optional.of(subject).filter(_ -> isUndone);
    return isUndone ? RESYNC : UNTIL_TRIED_AGAIN;
  }

  private RuntimeSetup setup(RuntimePlace runtime) {
    return RuntimeSetup.of(runtime, place.host(), state);
  }

  /// Empty where no runtime is there.
  static Optional<RuntimePlace> place(RuntimeSettings settings, HostRoot host) {
    return RuntimePlace.find(host, settings.kind())
        .map(usual ->
            usual.with(
                settings.config(),
                settings.dropIn(),
                settings.socket(),
                settings.program(),
                settings.restart()));
  }

  private List<String> files(Optional<RuntimePlace> runtime) {
    return runtime.stream()
        .flatMap(it -> Stream.concat(Stream.of(it.mainPath()), inFolder(it.dropInPath())))
        .map(this::fingerprint)
        .toList();
  }

  private Stream<String> inFolder(String dropIn) {
    String folder = dropIn.isEmpty() ? "" : dropIn.substring(0, dropIn.lastIndexOf('/'));
    return folder.isEmpty()
        ? Stream.empty()
        : place.host().names(folder).stream().map(name -> folder + "/" + name);
  }

  private String fingerprint(String path) {
    try {
      Path file = place.host().resolve(path);
      return "%s %s %d".formatted(path, Files.getLastModifiedTime(file), Files.size(file));
    } catch (IOException _) {
      return path;
    }
  }
}
