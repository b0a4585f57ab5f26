package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.cluster.ObjectEvent;
import dev.pitcrew.agent.dra.claims.ClaimPreparer;
import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.dra.claims.plan.UnenforcedMemory;
import java.time.Duration;
import java.util.function.Consumer;

/// Claims of the driver `gpu.nvidia.com`.
///
/// @param events receives what the pods of a claim have to know
record GpuClaims(ClaimPreparer preparer, Devices devices, Consumer<ObjectEvent> events)
    implements ClaimHandler {
  /// For what claims can be prepared.
  sealed interface Devices {
    record Available(NodeDevices devices) implements Devices {}

    record Unavailable(String reason) implements Devices {}
  }

  @Override
  public PrepareOutcome prepare(ClaimObject claim, Duration left) {
    return switch (devices) {
      case Devices.Available(var now) -> {
        PrepareOutcome outcome = preparer.prepare(claim, now);
        if (outcome instanceof PrepareOutcome.Prepared) {
          warn(claim, now);
        }
        yield outcome;
      }
      case Devices.Unavailable(var reason) ->
          new PrepareOutcome.NotReady("claim %s: %s".formatted(claim.text(), reason));
    };
  }

  /// Each pod of the claim is warned once.
  private void warn(ClaimObject claim, NodeDevices devices) {
    for (String note : UnenforcedMemory.of(claim, devices)) {
      claim
          .pods()
          .map(pod -> ObjectEvent.Subject.pod(claim.namespace(), pod.name(), pod.uid()))
          .forEach(pod ->
              events.accept(
                  new ObjectEvent(pod, ObjectEvent.Type.WARNING, "GpuMemoryNotLimited", note)));
    }
  }

  @Override
  public UnprepareOutcome unprepare(String uid) {
    return preparer.unprepare(uid);
  }
}
