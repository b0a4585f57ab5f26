package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.runtime.RuntimeDaemon.RestartFailure;
import dev.pitcrew.agent.runtime.RuntimeReader.Reading;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import dev.pitcrew.agent.runtime.plan.Edit;
import dev.pitcrew.agent.runtime.plan.Receipt;
import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimePlan;
import dev.pitcrew.agent.runtime.plan.RuntimeProblem;
import dev.pitcrew.agent.runtime.plan.RuntimeUndo;
import dev.pitcrew.agent.runtime.plan.WantedRuntime;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets up the node's container runtime and rolls that back. The next run finishes what a killed
/// one began: what is about to be done is recorded first, each file is replaced as a whole, and a
/// restart whose end was not seen is done again.
public final class RuntimeSetup {
  private static final Logger LOG = LoggerFactory.getLogger(RuntimeSetup.class);
  private static final Duration UNTIL_BACK = Duration.ofSeconds(60);
  private static final Duration AT_ONCE = Duration.ofSeconds(5);

  /// One that comes back with its former files within this had long enough with ours.
  private static final Duration SOON = UNTIL_BACK.dividedBy(4);

  private final RuntimePlace place;
  private final HostRoot host;
  private final HostShell shell;
  private final StateFolder state;
  private final Seen seen;
  private final HostFiles files;
  private final RuntimeReader reader;
  private final RuntimeCheck check;
  private final ReceiptFile receipts;
  private final RuntimeFindings findings;
  private final RuntimeDaemon daemon;

  /// The runtimes, and what they see of the agent.
  ///
  /// @param daemons the one at each place
  /// @param folder the agent's, on the host
  public record Seen(Function<RuntimePlace, RuntimeDaemon> daemons, String folder) {}

  /// @param state is under the same path on the host
  public static RuntimeSetup of(RuntimePlace place, HostRoot host, StateFolder state) {
    HostShell shell = HostShell.of(host);
    return new RuntimeSetup(
        place,
        host,
        shell,
        state,
        new Seen(at -> new HostDaemon(at, host, shell), state.path().toString()));
  }

  /// @param state the folder of `seen`, as this process has it
  public RuntimeSetup(
      RuntimePlace place, HostRoot host, HostShell shell, StateFolder state, Seen seen) {
    this.place = place;
    this.host = host;
    this.shell = shell;
    this.state = state;
    this.seen = seen;
    this.files = new HostFiles(host);
    this.reader = new RuntimeReader(place, host, shell);
    this.check = new RuntimeCheck(place, reader, files, seen.folder());
    this.receipts = new ReceiptFile(state, place);
    this.findings = new RuntimeFindings(place);
    this.daemon = seen.daemons().apply(place);
  }

  /// Where a runtime's files were edited last, or were about to be; empty where none were.
  public static Optional<RuntimePlace> editedPlace(StateFolder state) {
    return ReceiptFile.place(state);
  }

  /// The set-up of another place, if one was made there and not rolled back. Where its runtime is
  /// gone, none is restarted.
  private Optional<RuntimeSetup> former() {
    return receipts
        .place()
        .filter(it -> !it.hasSameFiles(place))
        .map(it -> host.exists(it.socket()) ? it : it.withoutRestart())
        .map(it -> new RuntimeSetup(it, host, shell, state, seen));
  }

  /// What would be done.
  public RuntimePlan plan(WantedRuntime wanted) throws IOException, InterruptedException {
    return RuntimePlan.of(place.kind(), reader.read().input(), wanted);
  }

  /// What would be rolled back.
  public RuntimePlan undoPlan() throws IOException, InterruptedException {
    return RuntimeUndo.of(place.kind(), reader.read().input(), receipt());
  }

  private Optional<Receipt> receipt() {
    return receipts.place().filter(place::hasSameFiles).flatMap(_ -> receipts.read());
  }

  /// The set-up at another place is rolled back first: the node has one runtime for GPUs.
  public RuntimeState apply(WantedRuntime wanted) throws InterruptedException {
    Optional<RuntimeSetup> former = former();
    if (former.isPresent()) {
      RuntimeState left = former.get().undo();
      if (left.phase() != Phase.UNDONE) {
        return left;
      }
      LOG.atInfo().log("{} is as it was before, as another place is named", left.configFile());
    }
    try {
      Reading reading = reader.read();
      if (reading.input().hasOurDropIn()) {
        // One of a former version, or widened since.
        files.narrow(place.dropInPath());
      }
      Receipt receipt = receipt().orElse(Receipt.of(place.kind()));
      RuntimePlan plan = RuntimePlan.of(place.kind(), reading.input(), wanted);
      return switch (plan) {
        case RuntimePlan.Refused(RuntimeProblem problem) ->
            findings.state(reading, Phase.REFUSED, List.of(), problem.message());
        case RuntimePlan.Nothing(var remarks) -> settle(reading, receipt, wanted, remarks);
        case RuntimePlan.Edits(var edits, var remarks) -> {
          Optional<RuntimeState> obstacle = obstacle(reading, receipt, edits, wanted);
          yield obstacle.isPresent()
              ? obstacle.get()
              : settle(reading, carriedOut(receipt, edits), wanted, remarks);
        }
      };
    } catch (IOException e) {
      return findings.notWritten(e);
    }
  }

  /// Why edits are not even begun.
  private Optional<RuntimeState> obstacle(
      Reading reading, Receipt receipt, List<Edit> edits, WantedRuntime wanted)
      throws IOException, InterruptedException {
    Optional<String> objection = receipt.refusalOf(edits);
    if (objection.isEmpty()) {
      objection =
          check
              .objection(reading.input(), edits, wanted)
              .map(why ->
                  "%s does not take what would be written to %s (%s), so nothing is changed: correct its files, or leave the runtime to the container toolkit"
                      .formatted(place.kind().value(), RuntimeFindings.paths(edits), why));
    }
    if (objection.isPresent()) {
      return Optional.of(findings.state(reading, Phase.REFUSED, List.of(), objection.get()));
    }
    return receipts
        .keep(receipt.before(edits))
        .map(problem -> findings.state(reading, Phase.NOT_WRITTEN, List.of(), problem));
  }

  private Receipt carriedOut(Receipt receipt, List<Edit> edits) throws IOException {
    for (Edit edit : edits) {
      files.carryOut(edit);
      LOG.atInfo().log("{} {}", edit.path(), edit.after().isPresent() ? "is written" : "is gone");
    }
    return receipt.before(edits);
  }

  /// The runtime must have read what the files say.
  private RuntimeState settle(
      Reading reading, Receipt receipt, WantedRuntime wanted, List<String> remarks)
      throws IOException, InterruptedException {
    if (!receipt.pending()) {
      return daemon
          .missing(wanted.handlers(), AT_ONCE)
          .map(problem ->
              findings.state(
                  reading, Phase.NOT_RESTARTED, List.of(), findings.notRead(problem.why())))
          .orElseGet(() -> findings.ready(reading, wanted, remarks));
    }
    if (place.restart() == RestartMode.NONE) {
      Optional<RestartFailure> missing = daemon.missing(wanted.handlers(), AT_ONCE);
      if (missing.isPresent()) {
        return findings.state(
            reading, Phase.NOT_RESTARTED, List.of(), findings.notRead(missing.get().why()));
      }
      receipts.keep(receipt.settled());
      return findings.ready(reading, wanted, remarks);
    }
    Optional<RestartFailure> failure = restarted(wanted.handlers(), UNTIL_BACK);
    if (failure.isPresent()) {
      return rolledBack(reading, receipt, failure.get());
    }
    receipts.keep(receipt.settled());
    return findings.ready(reading, wanted, remarks);
  }

  private Optional<RestartFailure> restarted(List<String> handlers, Duration limit)
      throws InterruptedException {
    LOG.atInfo().log("{} is restarted ({})", place.kind().value(), place.restart().value());
    Optional<RestartFailure> refusal = daemon.restart();
    return refusal.isPresent() ? refusal : daemon.missing(handlers, limit);
  }

  /// The node worked before; it must work again, whatever is wrong with ours.
  private RuntimeState rolledBack(Reading reading, Receipt receipt, RestartFailure failure)
      throws IOException, InterruptedException {
    RuntimePlan undo = RuntimeUndo.of(place.kind(), reader.read().input(), Optional.of(receipt));
    if (undo instanceof RuntimePlan.Refused(RuntimeProblem problem)) {
      // The receipt on the disk has the former bytes, and says that a restart is due.
      return failed(
          reading,
          Phase.NOT_BACK,
          "%s; its former files could not be put back: %s"
              .formatted(findings.notBack(receipt.edits(), failure), problem.message()));
    }
    if (undo instanceof RuntimePlan.Edits(var edits, _)) {
      carriedOut(receipt, edits);
    }
    return compared(reading, receipt.edits(), failure);
  }

  /// Whether it was the files that the runtime did not take, which its former files show. Only that
  /// is remembered; a slow node, or a runtime that was just being updated, is tried again.
  private RuntimeState compared(Reading reading, List<Edit> ours, RestartFailure failure)
      throws InterruptedException {
    Optional<RestartFailure> still = restarted(List.of(), SOON);
    boolean isVerdict =
        switch (failure.kind()) {
          case WITHOUT_HANDLERS -> true;
          case NO_ANSWER -> still.isEmpty();
          case NOT_RESTARTED -> false;
        };
    if (still.filter(it -> it.kind() == RestartFailure.Kind.NO_ANSWER).isPresent()) {
      still = daemon.missing(List.of(), UNTIL_BACK);
    }
    String message = findings.notBack(ours, failure) + "; its former files are back";
    var clean = new Receipt(place.kind(), List.of(), still.isPresent(), Optional.empty());
    receipts.keep(isVerdict ? clean.refused(new Receipt.Refusal(ours, message)) : clean);
    return failed(
        reading,
        isVerdict ? Phase.REFUSED : Phase.NOT_BACK,
        message + still.map(it -> "; and it is still not back: " + it.why()).orElse(""));
  }

  private RuntimeState failed(Reading reading, Phase phase, String message) {
    LOG.atError().log("{}", message);
    return findings.state(reading, phase, List.of(), message);
  }

  /// Rolls back all that was written, wherever that was; a runtime that was never changed is left
  /// alone.
  public RuntimeState undo() throws InterruptedException {
    Optional<RuntimeSetup> former = former();
    if (former.isPresent()) {
      return former.get().undo();
    }
    try {
      Reading reading = reader.read();
      Optional<Receipt> receipt = receipt();
      RuntimePlan plan = RuntimeUndo.of(place.kind(), reading.input(), receipt);
      if (plan instanceof RuntimePlan.Refused(RuntimeProblem problem)) {
        return findings.state(reading, Phase.REFUSED, List.of(), problem.message());
      }
      boolean wasPending = receipt.filter(Receipt::pending).isPresent();
      if (plan instanceof RuntimePlan.Edits(var edits, _)) {
        Receipt kept = receipt.orElse(Receipt.of(place.kind()));
        Optional<String> problem =
            receipts.keep(new Receipt(kept.kind(), kept.files(), true, Optional.empty()));
        if (problem.isPresent()) {
          return findings.state(reading, Phase.NOT_WRITTEN, List.of(), problem.get());
        }
        carriedOut(kept, edits);
        wasPending = true;
      }
      return forgotten(reading, wasPending);
    } catch (IOException e) {
      return findings.notWritten(e);
    }
  }

  private RuntimeState forgotten(Reading reading, boolean needsRestart)
      throws IOException, InterruptedException {
    if (needsRestart && place.restart() != RestartMode.NONE) {
      Optional<RestartFailure> failure = restarted(List.of(), UNTIL_BACK);
      if (failure.isPresent()) {
        return findings.state(
            reading, Phase.NOT_RESTARTED, List.of(), findings.notRead(failure.get().why()));
      }
    }
    receipts.forget();
    return findings.state(
        reading, Phase.UNDONE, List.of(), "nothing of the agent's is in the runtime's files");
  }
}
