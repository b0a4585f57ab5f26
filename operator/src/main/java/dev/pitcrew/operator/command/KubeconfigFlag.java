package dev.pitcrew.operator.command;

import picocli.CommandLine.Option;

/// How to reach the cluster.
final class KubeconfigFlag {
  @Option(
      names = "--kubeconfig",
      paramLabel = "<file>",
      defaultValue = "",
      description = "Cluster to talk to (default: the pod's service account, else the user's own).")
  String path = "";
}
