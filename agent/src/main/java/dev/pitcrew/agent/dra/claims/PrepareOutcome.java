package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.PreparedDevice;
import java.util.List;

/// What became of a claim that kubelet asked to prepare. A reason names the claim, what is wrong
/// and what to do; it is an error of this claim only.
public sealed interface PrepareOutcome {
  record Prepared(List<PreparedDevice> devices) implements PrepareOutcome {
    public Prepared {
      devices = List.copyOf(devices);
    }
  }

  /// The claim cannot be prepared as it is: another try has the same result until the claim, or
  /// another claim, changes.
  record Refused(String reason) implements PrepareOutcome {}

  /// The node cannot prepare any claim now; kubelet tries again.
  record NotReady(String reason) implements PrepareOutcome {}

  /// The node could not do it; kubelet tries again.
  record Failed(String reason) implements PrepareOutcome {}
}
