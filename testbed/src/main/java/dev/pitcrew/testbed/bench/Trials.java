package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/// Changes to a cluster, one after the other, each once the operator has had time to answer the one
/// before.
///
/// @param count how many of each kind
record Trials(KubernetesClient client, int count) {
  /// Longer than an answer takes, so that each trial finds the operator at rest.
  private static final Duration PAUSE = Duration.ofMillis(300);

  /// Longer than the operator waits at most.
  private static final Duration RESTORED = Duration.ofMinutes(2);

  private static final String PRESENT = "nvidia.com/gpu.present";
  private static final NodeTemplate JOINING = NodeTemplate.gpu("joining");
  private static final String DEPLOYED = "nvidia.com/gpu.deploy.driver";
  private static final String EDITED = "nvidia-device-plugin-daemonset";
  private static final PatchContext MERGE =
      new PatchContext.Builder().withPatchType(PatchType.JSON_MERGE).build();

  /// GPU nodes join and stay; a trial is over when the node has the labels that operands select.
  Latencies joins() {
    return timed(trial -> {
      var node = JOINING.node(trial);
      return Answer.<Node>time(
          client.resource(node)::watch,
          seen -> seen.getMetadata().getLabels().containsKey(DEPLOYED),
          () -> client.resource(node).create());
    });
  }

  /// Takes away the nodes that [#joins] brought.
  void leave() {
    IntStream.rangeClosed(1, count)
        .mapToObj(JOINING::node)
        .forEach(node -> client.resource(node).delete());
  }

  /// A label of another writer changes on a GPU node, as feature discovery or a user would do it.
  ///
  /// @return how often
  int foreignLabelFlips() {
    return untimed(trial -> label("bench.pitcrew.dev/flip", "\"" + trial + "\""));
  }

  /// A label of the operator's is taken off a GPU node, until it is there again for good: where
  /// another writer keeps changing a label, the operator waits before it sets it again.
  ///
  /// @return how often
  int ownLabelFlips() {
    var flips = untimed(_ -> label(PRESENT, "null"));
    Await.orFail(
        RESTORED,
        "the label " + PRESENT + " is not back",
        () -> node().require().getMetadata().getLabels().containsKey(PRESENT));
    return flips;
  }

  /// A setting of one operand changes; a trial is over when its DaemonSet has it.
  Latencies policyEdits() {
    var edited = client.apps().daemonSets().inNamespace(BenchedOperator.NAMESPACE).withName(EDITED);
    return timed(trial ->
        Answer.<DaemonSet>time(
            edited::watch, seen -> isEdited(seen, trial), () -> setVariable(trial)));
  }

  private Resource<Node> node() {
    return client.nodes().withName(BenchCluster.GPU.node(1).getMetadata().getName());
  }

  private void label(String key, String value) {
    node().patch(MERGE, "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(key, value));
  }

  private void setVariable(int trial) {
    BenchCluster.policy(client)
        .patch(
            MERGE,
            "{\"spec\":{\"devicePlugin\":{\"env\":[{\"name\":\"BENCH_TRIAL\",\"value\":\"%d\"}]}}}"
                .formatted(trial));
  }

  private static boolean isEdited(DaemonSet seen, int trial) {
    return seen.getSpec().getTemplate().getSpec().getContainers().getFirst().getEnv().stream()
        .anyMatch(variable ->
            variable.getName().equals("BENCH_TRIAL")
                && Objects.equals(variable.getValue(), Integer.toString(trial)));
  }

  private Latencies timed(IntFunction<Duration> trial) {
    return new Latencies(
        IntStream.rangeClosed(1, count)
            .mapToObj(number -> {
              Await.pause(PAUSE);
              return trial.apply(number);
            })
            .toList());
  }

  private int untimed(IntConsumer trial) {
    for (var number = 1; number <= count; number++) {
      trial.accept(number);
      Await.pause(PAUSE);
    }
    return count;
  }
}
