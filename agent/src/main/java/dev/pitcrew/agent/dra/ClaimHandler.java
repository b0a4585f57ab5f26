package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import java.time.Duration;

/// What a DRA driver does about the claims of its node, as the node is now.
interface ClaimHandler {
  /// @param left how long the kubelet still reads the answer
  PrepareOutcome prepare(ClaimObject claim, Duration left);

  /// @param uid as the kubelet names it
  UnprepareOutcome unprepare(String uid);
}
