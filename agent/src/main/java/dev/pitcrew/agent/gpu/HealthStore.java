package dev.pitcrew.agent.gpu;

import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.node.NodeSnapshot.WithDriver;
import dev.pitcrew.agent.node.SnapshotText;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.hardware.HostRoot;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The evidence against the GPUs, on the node's own disk: an Xid is reported only once, and a GPU
/// that is lost reports nothing.
public final class HealthStore {
  public static final String FILE = "health.json";
  private static final Logger LOG = LoggerFactory.getLogger(HealthStore.class);

  private final StateFolder folder;
  private final String bootId;

  public HealthStore(StateFolder folder, HostRoot host) {
    this.folder = folder;
    this.bootId = HostFacts.bootId(host);
  }

  /// What the last agent of this node and this boot saw.
  Optional<WithDriver> recalled() {
    try {
      return folder.read(FILE).flatMap(text -> SnapshotText.read(text, bootId));
    } catch (IllegalArgumentException e) {
      LOG.atWarn()
          .log(
              "{} is not what an agent wrote ({}); the record of the health of the GPUs starts again",
              folder.path().resolve(FILE),
              e.getMessage());
      return Optional.empty();
    }
  }

  /// @return why it is not kept, and what to do; empty if it is
  Optional<String> keep(WithDriver snapshot) {
    return bootId.isEmpty()
        ? Optional.empty()
        : folder.keep(FILE, SnapshotText.write(snapshot, bootId));
  }

  /// Whether a user has removed the file, which clears the evidence: nothing reports a GPU reset
  /// that happened while NVML was closed.
  boolean wasRemoved() {
    return folder.isRemoved(FILE);
  }
}
