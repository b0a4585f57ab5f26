package dev.pitcrew.agent.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Renames the driver that runs, where the operator has found that it is the one that an
/// NVIDIADriver wants under another digest: a driver manager that finds a digest of another driver
/// unloads it, under whatever uses it. Digests that are not named stay as they are.
public final class DigestMigration implements Controller<SameDriver> {
  private static final Logger LOG = LoggerFactory.getLogger(DigestMigration.class);
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(30);

  private final HostRoot host;

  public DigestMigration(HostRoot host) {
    this.host = host;
  }

  /// What was true of an NVIDIADriver's node stays on it when its driver is a ClusterPolicy's
  /// again, whose pods look for their own digest.
  public static Optional<SameDriver> sameDriver(JsonNode node) {
    JsonNode metadata = node.path("metadata");
    return metadata.path("labels").has(NodeLabels.DRIVER_OWNER)
        ? SameDriver.read(metadata.path("annotations").path(SameDriver.ANNOTATION).asText())
        : Optional.empty();
  }

  @Override
  public Duration reconcile(SameDriver same) {
    try {
      if (WholeFile.replaceIf(
          host.resolve(DriverTraces.DIGEST), same.installed(), same.wanted() + "\n")) {
        LOG.atInfo().log(
            "{} says {} now, which is the same driver as {}",
            DriverTraces.DIGEST,
            same.wanted(),
            same.installed());
      }
      return RESYNC;
    } catch (IOException e) {
      LOG.atWarn()
          .log(
              "{} cannot be written ({}): make the folder writable; until then a new driver pod reloads the same driver",
              DriverTraces.DIGEST,
              WholeFile.words(e));
      return UNTIL_TRIED_AGAIN;
    }
  }
}
