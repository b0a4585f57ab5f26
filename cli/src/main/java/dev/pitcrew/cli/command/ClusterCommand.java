package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.print.Style;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/// What every command has that needs a cluster.
abstract class ClusterCommand implements Callable<Integer> {
  final Session session;

  @Mixin ConnectionFlags connection = new ConnectionFlags();

  ClusterCommand(Session session) {
    this.session = session;
  }

  final ClusterReading cluster() {
    return connection.cluster(session);
  }

  /// Prints on standard error what may have text of the cluster in it.
  final void warn(String text) {
    GpuCommand.errors(session).paragraph("", Style.PLAIN, text);
  }
}
