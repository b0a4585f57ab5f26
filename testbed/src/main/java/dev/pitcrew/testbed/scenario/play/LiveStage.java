package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import dev.pitcrew.testbed.scenario.facts.FactsRecorder;
import dev.pitcrew.testbed.scenario.facts.Recording;
import dev.pitcrew.testbed.scenario.play.ScenarioPlayer.Stage;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The cluster of a scenario without its play: for tests that start and stop operators themselves
/// and look at the facts in between. Pretended kubelets run every pod until it is closed.
public final class LiveStage implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final ApiServer api;
  private final TestCluster cluster;
  private final PretendKubelet kubelet;
  private @Nullable ChangeSignal changes;

  private LiveStage(ApiServer api, TestCluster cluster) {
    this.api = api;
    this.cluster = cluster;
    this.kubelet = new PretendKubelet(api, cluster.namespace());
  }

  /// Empties the cluster of `stage` and makes the operator's namespace.
  public static LiveStage empty(Stage stage) throws InterruptedException {
    var api = ApiServer.of(stage.kubeconfig());
    var kubectl =
        new Kubectl(stage.kubectl(), stage.kubeconfig(), stage.namespace(), stage.scratch());
    var cluster = new TestCluster(api, kubectl, stage.namespace());
    cluster.prepare();
    cluster.reset();
    return new LiveStage(api, cluster);
  }

  /// Creates what a scenario finds before its custom resources: its input and its nodes.
  public void enter(Scenario scenario) throws InterruptedException {
    enterInput(scenario);
    scenario.file("nodes.yaml").ifPresent(cluster::createNodes);
  }

  /// Creates only what the scenario's user has made beside its custom resources.
  public void enterInput(Scenario scenario) throws InterruptedException {
    var input = scenario.file("extra.yaml");
    if (input.isPresent()) {
      cluster.createInput(input.get());
    }
  }

  /// Waits until nothing has changed for a time, and records the facts then.
  ///
  /// @throws IllegalStateException where the cluster does not come to rest
  public ObjectNode settle(Duration quiet) throws InterruptedException {
    var recorder = new FactsRecorder(api, Recording.in(cluster.namespace()));
    var settled = new Settling(recorder, changes()).settle(new Pace(quiet, LIMIT, Map.of()));
    if (!settled.isAtRest()) {
      throw new IllegalStateException(
          "the cluster is not at rest after " + LIMIT.toSeconds() + " s");
    }
    return settled.facts();
  }

  /// Kept from one settling to the next: to list twenty kinds costs more than to watch them.
  private ChangeSignal changes() {
    if (changes == null) {
      changes = ChangeSignal.watching(api, cluster.namespace());
    } else {
      changes.restart(api, cluster.namespace());
    }
    return changes;
  }

  /// The facts of this moment.
  public ObjectNode facts() {
    return new FactsRecorder(api, Recording.in(cluster.namespace())).record();
  }

  /// Takes everything away but what Kubernetes and the operator's chart brought.
  public void reset() throws InterruptedException {
    cluster.reset();
  }

  /// Leaves the cluster as it is and ends the kubelets.
  @Override
  public void close() {
    if (changes != null) {
      changes.close();
    }
    kubelet.close();
    api.close();
  }
}
