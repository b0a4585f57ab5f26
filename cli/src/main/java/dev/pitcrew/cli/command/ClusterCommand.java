package dev.pitcrew.cli.command;

/// A command that reads a cluster.
interface ClusterCommand {
  /// The flags by which it does.
  ConnectionFlags connection();
}
