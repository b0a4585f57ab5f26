package dev.pitcrew.testbed.bench;

import java.nio.file.Path;

/// What is the same at every size.
///
/// @param policy the file with the ClusterPolicy
/// @param trials how often each change is made
record Setting(BenchedOperator operator, Path policy, int trials) {
  /// From here on no pods are created: thousands of them would measure the test bed.
  private static final int TOO_MANY_FOR_PODS = 5_000;

  static boolean runsPods(int nodes) {
    return nodes < TOO_MANY_FOR_PODS;
  }

  /// A cluster with that many nodes in which everything waits for the operator.
  BenchCluster cluster(int nodes) {
    var cluster =
        runsPods(nodes) ? BenchCluster.start() : BenchCluster.start("daemonset-controller");
    try {
      operator.installDefinitions(cluster.adminKubeconfig());
      cluster.populate(nodes);
      cluster.create(policy);
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }
}
