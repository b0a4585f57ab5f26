package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan.Assigned;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForVfioDevice;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim.GivenGpu;
import dev.pitcrew.device.dra.ClaimDevice.Passthrough;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The GPUs that claims give to virtual machines. The checkpoint names a GPU before its driver
/// changes and until it is back, so that no process that was killed leaves one with a driver that
/// no claim wants; a GPU that it does not name is never touched.
record ClaimMachines(
    ClaimCheckpoint checkpoint, PassthroughStep step, Consumer<ClaimPreparer.Step> steps) {
  sealed interface Outcome {
    /// @param node with what a container gets with them
    record Granted(NodeDevices node) implements Outcome {}

    record Failed(String reason) implements Outcome {}
  }

  private static List<Assigned> wanted(ClaimPlan plan) {
    return plan.devices().stream()
        .filter(assigned -> assigned.device() instanceof Passthrough)
        .toList();
  }

  /// Whether the claim gives any.
  static boolean gives(ClaimPlan plan) {
    return !wanted(plan).isEmpty();
  }

  private static List<ForVfioDevice> settings(ClaimPlan plan) {
    return plan.groups().stream()
        .map(ClaimPlan.Group::settings)
        .filter(ForVfioDevice.class::isInstance)
        .map(ForVfioDevice.class::cast)
        .toList();
  }

  /// Before anything changes. A container gets one way to the IOMMU, and a GPU of a virtual machine
  /// has one user.
  ///
  /// @param isCompleted whether the claim was prepared before
  /// @return why the claim is refused
  Optional<String> refusal(ClaimObject claim, ClaimPlan plan, boolean isCompleted) {
    int groups = settings(plan).size();
    if (groups > 1) {
      return Optional.of(
          "claim %s: its requests have %d different %s settings; allowed: one for all VFIO devices of a claim"
              .formatted(claim.text(), groups, ForVfioDevice.KIND));
    }
    return wanted(plan).stream()
        .flatMap(assigned ->
            refusal(assigned, isCompleted)
                .map(why ->
                    "claim %s, request %s: %s"
                        .formatted(claim.text(), assigned.result().request(), why))
                .stream())
        .findFirst();
  }

  private Optional<String> refusal(Assigned assigned, boolean isCompleted) {
    return assigned.result().adminAccess()
        ? Optional.of(
            "adminAccess is true, and device %s is for a virtual machine; allowed: false"
                .formatted(assigned.device().name()))
        : step.refusal((Passthrough) assigned.device(), isCompleted);
  }

  /// The caller has written the intent to the checkpoint.
  Outcome give(ClaimPlan plan, NodeDevices node) {
    List<ForVfioDevice> settings = settings(plan);
    if (settings.isEmpty()) {
      return new Outcome.Granted(node);
    }
    var edits = new HashMap<String, ContainerEdits>();
    for (Assigned assigned : wanted(plan)) {
      var device = (Passthrough) assigned.device();
      Optional<String> problem = step.give(device);
      if (problem.isPresent()) {
        return new Outcome.Failed(problem.get());
      }
      edits.put(device.uuid(), step.edits(device, settings.getFirst()));
    }
    steps.accept(ClaimPreparer.Step.GIVEN);
    return new Outcome.Granted(node.ofMachines(edits, step.shared(settings.getFirst())));
  }

  /// Withdraws what a claim has given, or may have, and no other claim has been given since.
  ///
  /// @return what is left, and why
  Optional<String> withdraw(String uid, PreparedClaim entry) {
    List<GivenGpu> own = entry.mayHaveGiven();
    if (own.isEmpty()) {
      return Optional.empty();
    }
    Set<String> ofOthers =
        checkpoint.all().entrySet().stream()
            .filter(other -> !other.getKey().equals(uid) && other.getValue().isCompleted())
            .flatMap(other -> other.getValue().given().stream())
            .map(GivenGpu::device)
            .collect(Collectors.toSet());
    List<String> left =
        own.stream()
            .filter(gpu -> !ofOthers.contains(gpu.device()))
            .flatMap(gpu -> step.withdraw(gpu).stream())
            .toList();
    return left.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", left));
  }

  /// After a start, of a claim whose preparation did not end.
  ///
  /// @return what is left, and why
  Optional<String> recover(String uid) {
    return checkpoint
        .find(uid)
        .filter(it -> !it.isCompleted() && !it.mayHaveGiven().isEmpty())
        .flatMap(
            entry -> withdraw(uid, entry).or(() -> checkpoint.put(uid, entry.withoutIntent())));
  }

  /// The claims of the checkpoint are no longer those of the last call.
  void changed() {
    step.changed();
  }
}
