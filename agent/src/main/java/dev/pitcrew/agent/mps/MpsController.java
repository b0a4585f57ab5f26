package dev.pitcrew.agent.mps;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.mps.MpsPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Requests the MPS daemons that there should be from their supervisor, and reports which of them
/// run. The daemons do not depend on the agent: it may restart.
public final class MpsController implements Controller<MpsController.Input>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MpsController.class);

  /// No GPU is shared by MPS.
  public static final MpsPlan NONE = new MpsPlan(List.of(), Map.of());

  /// For changes that no event reports.
  private static final Duration UNTIL_LOOKED_AT_AGAIN = Duration.ofSeconds(30);

  private final AgentContext context;
  private final StateFolder folder;
  private final Reports reports;
  private final Runnable wake;
  private Optional<Watched> watched = Optional.empty();
  private boolean wasEverUsed;

  private record Watched(DaemonMarks marks, MpsPlan plan, MarksWatch watch) {
    boolean isFor(DaemonMarks otherMarks, MpsPlan otherPlan) {
      return marks.equals(otherMarks) && plan.equals(otherPlan);
    }
  }

  /// @param plan the daemons that there should be
  /// @param root the host's folder of the daemons' files
  public record Input(MpsPlan plan, String root) {}

  /// @param files whether the file that the supervisor reads could be written
  public record Reports(Consumer<MpsState> states, FileReports files) {}

  /// @param wake has this controller reconcile again; called from any thread
  public MpsController(AgentContext context, StateFolder folder, Reports reports, Runnable wake) {
    this.context = context;
    this.folder = folder;
    this.reports = reports;
    this.wake = wake;
    this.wasEverUsed = folder.read(DaemonFile.NAME).isPresent();
  }

  @Override
  public Duration reconcile(Input input) {
    MpsPlan plan = input.plan();
    Optional<String> unsaid = say(plan);
    reports.files().report(DaemonFile.NAME, unsaid);
    if (plan.equals(NONE)) {
      unwatch();
      publish(new MpsState(NONE, Map.of()));
      return unsaid.isEmpty() ? RESYNC : UNTIL_LOOKED_AT_AGAIN;
    }
    publish(look(marks(input), plan));
    return UNTIL_LOOKED_AT_AGAIN;
  }

  /// A node that never shared by MPS gets no file that says so.
  ///
  /// @return why it cannot be said
  private Optional<String> say(MpsPlan plan) {
    wasEverUsed |= !plan.equals(NONE);
    return wasEverUsed ? folder.keep(DaemonFile.NAME, DaemonFile.text(plan)) : Optional.empty();
  }

  private MpsState look(DaemonMarks marks, MpsPlan plan) {
    if (watched.filter(last -> last.isFor(marks, plan)).isEmpty()) {
      unwatch();
      watched = Optional.of(new Watched(marks, plan, MarksWatch.over(marks, plan, wake)));
    }
    boolean isWatchedOver = watched.get().watch().isWatchedOver();
    return new MpsState(plan, marks.down(plan, isWatchedOver));
  }

  private DaemonMarks marks(Input input) {
    String root = input.root();
    try {
      return new DaemonMarks(context.host().resolve(root));
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("links in a circle in {}", root);
      return new DaemonMarks(Path.of(root));
    }
  }

  private void publish(MpsState view) {
    reports.states().accept(view);
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
