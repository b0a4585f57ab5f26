package dev.pitcrew.agent.process;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.mps.DaemonFile;
import dev.pitcrew.agent.mps.DaemonMarks;
import dev.pitcrew.agent.mps.MarksWatch;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.Settings.InForce;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.mps.MpsPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Requests the MPS daemons that there should be from their supervisor, and reports to the board
/// which of them run. The daemons do not depend on the agent: it may restart.
final class MpsController implements Controller, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MpsController.class);
  private static final MpsPlan NONE = new MpsPlan(List.of(), Map.of());

  /// For changes that no event reports.
  private static final Duration UNTIL_LOOKED_AT_AGAIN = Duration.ofSeconds(30);

  private final AgentContext place;
  private final StateFolder folder;
  private final StateStore board;
  private final Runnable wake;
  private Optional<Watched> watched = Optional.empty();
  private boolean wasEverUsed;

  private record Watched(DaemonMarks marks, MpsPlan plan, MarksWatch watch) {
    boolean isFor(DaemonMarks otherMarks, MpsPlan otherPlan) {
      return marks.equals(otherMarks) && plan.equals(otherPlan);
    }
  }

  /// @param wake asks for another round, from any thread
  MpsController(AgentContext place, StateFolder folder, StateStore board, Runnable wake) {
    this.place = place;
    this.folder = folder;
    this.board = board;
    this.wake = wake;
    this.wasEverUsed = folder.read(DaemonFile.NAME).isPresent();
  }

  @Override
  public Duration act(NodeState situation) {
    if (situation.settings().isEmpty() || situation.snapshot().isEmpty()) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    Optional<MpsPlan> plan = plan(situation, settings);
    if (plan.isEmpty()) {
      return SETTLED;
    }
    Optional<String> unsaid = say(plan.get());
    board.change(now -> now.withUnkept(DaemonFile.NAME, unsaid));
    if (plan.get().equals(NONE)) {
      unwatch();
      tell(new MpsState(NONE, Map.of()));
      return unsaid.isEmpty() ? SETTLED : UNTIL_LOOKED_AT_AGAIN;
    }
    tell(look(marks(settings), plan.get()));
    return UNTIL_LOOKED_AT_AGAIN;
  }

  /// A node that never shared by MPS gets no file that says so.
  ///
  /// @return why it cannot be said
  private Optional<String> say(MpsPlan plan) {
    wasEverUsed |= !plan.equals(NONE);
    return wasEverUsed ? folder.keep(DaemonFile.NAME, DaemonFile.text(plan)) : Optional.empty();
  }

  /// Empty where nothing can be said: GPUs that cannot be read for a moment are no reason to end
  /// what runs on them.
  private static Optional<MpsPlan> plan(NodeState situation, Settings settings) {
    return switch (settings.state(NodeFunction.MPS)) {
      case FunctionState.Off(_), FunctionState.Paused(_) -> Optional.of(NONE);
      case FunctionState.On() ->
          settings
              .plugin()
              .map(InForce::config)
              .filter(AgentConfig::sharesByMps)
              .map(config -> plan(situation, config))
              .orElse(Optional.of(NONE));
    };
  }

  private static Optional<MpsPlan> plan(NodeState situation, AgentConfig config) {
    return situation
        .snapshot()
        .filter(snapshot -> snapshot.inventory().isPresent())
        .map(snapshot -> MpsPlan.of(NodeOffer.allocatable(config, snapshot).resources()));
  }

  private MpsState look(DaemonMarks marks, MpsPlan plan) {
    if (watched.filter(last -> last.isFor(marks, plan)).isEmpty()) {
      unwatch();
      watched = Optional.of(new Watched(marks, plan, MarksWatch.over(marks, plan, wake)));
    }
    boolean isWatchedOver = watched.get().watch().isWatchedOver();
    return new MpsState(plan, marks.down(plan, isWatchedOver));
  }

  private DaemonMarks marks(Settings settings) {
    String root = settings.plugin().map(it -> it.config().plugin().mpsRoot()).orElse("/");
    try {
      return new DaemonMarks(place.host().resolve(root));
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("links in a circle in {}", root);
      return new DaemonMarks(Path.of(root));
    }
  }

  private void tell(MpsState view) {
    board.change(now -> now.with(view));
  }

  private void unwatch() {
    watched.ifPresent(last -> last.watch().close());
    watched = Optional.empty();
  }

  @Override
  public void close() {
    unwatch();
  }
}
