package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import dev.pitcrew.testbed.scenario.facts.Digests;
import dev.pitcrew.testbed.scenario.facts.FactsRecorder;
import dev.pitcrew.testbed.scenario.facts.Recording;
import dev.pitcrew.testbed.scenario.facts.TemplateFacts;
import dev.pitcrew.testbed.scenario.play.TestCluster.Applied;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Plays scenarios on one cluster, one after the other, each with a fresh operator or all with one
/// that is kept.
public final class ScenarioPlayer implements AutoCloseable {
  private final ApiServer api;
  private final TestCluster cluster;
  private final OperatorCommand operator;
  private final Duration quiet;
  private Optional<OperatorProcess> running = Optional.empty();

  /// One recording of a scenario.
  ///
  /// @param golden the name of the file with the expected facts
  /// @param notes what a reader of the report should know
  public record Recorded(String golden, ObjectNode facts, List<String> notes) {}

  /// Where scenarios are played.
  ///
  /// @param scratch a folder for temporary files
  public record Stage(Path kubeconfig, Path kubectl, String namespace, Path scratch) {}

  /// @param quiet how long nothing must change before facts are recorded
  public ScenarioPlayer(Stage stage, OperatorCommand operator, Duration quiet) {
    this.api = ApiServer.of(stage.kubeconfig());
    var kubectl =
        new Kubectl(stage.kubectl(), stage.kubeconfig(), stage.namespace(), stage.scratch());
    this.cluster = new TestCluster(api, kubectl, stage.namespace());
    this.operator = operator;
    this.quiet = quiet;
  }

  /// Plays a scenario from its start through all its steps and leaves the cluster empty.
  ///
  /// @param operatorLog takes the output of an operator that is started for it
  public List<Recorded> play(Scenario scenario, Path operatorLog)
      throws IOException, InterruptedException {
    cluster.prepare();
    reset();
    try (var _ = new PretendKubelet(api, cluster.namespace())) {
      try {
        return recordAll(scenario, operatorLog);
      } finally {
        reset();
      }
    }
  }

  private void reset() throws InterruptedException {
    if (running.isPresent()) {
      cluster.resetUnderOperator();
    } else {
      cluster.reset();
    }
  }

  private List<Recorded> recordAll(Scenario scenario, Path operatorLog)
      throws IOException, InterruptedException {
    var input = scenario.file("extra.yaml");
    if (input.isPresent()) {
      cluster.createInput(input.get());
    }
    scenario.file("nodes.yaml").ifPresent(cluster::createNodes);
    if (running.isEmpty()) {
      running = operator.start(scenario, cluster.kubectl(), operatorLog);
    }
    var isKept = false;
    try (var changes = ChangeSignal.watching(api, cluster.namespace())) {
      var recorded = recordParts(scenario, changes);
      running.ifPresent(OperatorProcess::requireRunning);
      isKept = operator.isKept();
      return recorded;
    } finally {
      if (!isKept) {
        stop();
      }
    }
  }

  private void stop() {
    running.ifPresent(OperatorProcess::close);
    running = Optional.empty();
  }

  private List<Recorded> recordParts(Scenario scenario, ChangeSignal changes)
      throws IOException, InterruptedException {
    var digests = new Digests();
    var recorded = new ArrayList<Recorded>();
    var applied = scenario.file("cr.yaml").map(cluster::apply).orElseGet(Applied::nothing);
    var first = firstPace(scenario);
    recorded.add(recorded(Scenario.FIRST_GOLDEN, applied, settle(first, changes, digests)));
    if (scenario.file(Scenario.TEMPLATES).isPresent()) {
      var recorder = new FactsRecorder(api, new Recording(cluster.namespace(), digests, false));
      recorded.add(new Recorded(Scenario.TEMPLATES, TemplateFacts.of(recorder.read()), List.of()));
    }
    for (var step : scenario.steps()) {
      changes.mark();
      var outcome = new StepRunner(cluster).run(step.file());
      var pace = scenario.timing().after(step, quiet);
      recorded.add(recorded(step.golden(), outcome, settle(pace, changes, digests)));
    }
    return recorded;
  }

  /// An operator that cannot report that it is ready may still be starting: a longer timeout.
  private Pace firstPace(Scenario scenario) {
    var pace = scenario.timing().first(quiet);
    var isStarting = !operator.words().isEmpty() && operator.ready().isEmpty();
    return isStarting ? pace.atLeastQuietFor(quiet.multipliedBy(3)) : pace;
  }

  private Settling.Settled settle(Pace pace, ChangeSignal changes, Digests digests)
      throws InterruptedException {
    var recording = new Recording(cluster.namespace(), digests, pace.awaitsUpgrade());
    changes.mark();
    return new Settling(new FactsRecorder(api, recording), changes).settle(pace);
  }

  private static Recorded recorded(String golden, Applied applied, Settling.Settled settled) {
    var facts = settled.facts();
    facts.set("applied", applied.facts());
    var notes = new ArrayList<>(applied.notes());
    if (!settled.isAtRest()) {
      notes.add(golden + ": recorded at the time limit, the cluster was not at rest");
    }
    return new Recorded(golden, facts, List.copyOf(notes));
  }

  @Override
  public void close() {
    stop();
    api.close();
  }
}
