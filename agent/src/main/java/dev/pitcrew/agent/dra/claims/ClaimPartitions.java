package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.ClaimPlan;
import dev.pitcrew.agent.dra.claims.plan.ClaimPlan.Assigned;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.device.dra.ClaimDevice.MigPart;
import dev.pitcrew.device.dra.ClaimDevice.Partition;
import dev.pitcrew.device.dra.ClaimDevice.WholeGpu;
import dev.pitcrew.device.inventory.Gpu;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The MIG devices that claims have made: what is in the journal and what is on the GPUs. An
/// instance that is not in the journal is never touched.
final class ClaimPartitions {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimPartitions.class);

  private final PartitionJournal journal;
  private final PartitionStep step;
  private final Consumer<ClaimPreparer.Step> steps;

  ClaimPartitions(
      PartitionJournal journal, PartitionStep step, Consumer<ClaimPreparer.Step> steps) {
    this.journal = journal;
    this.step = step;
    this.steps = steps;
  }

  sealed interface Outcome {
    /// @param plan with the MIG devices in place of the partitions
    /// @param node with what a container gets with them
    record Made(ClaimPlan plan, NodeDevices node) implements Outcome {}

    /// Nothing was changed, or all of it is as it was.
    record Failed(String reason) implements Outcome {}
  }

  /// The names of all partitions of claims.
  Set<String> names() {
    return journal.all().values().stream()
        .flatMap(List::stream)
        .map(OwnPartition::device)
        .collect(Collectors.toUnmodifiableSet());
  }

  /// Makes what a claim is allocated. Devices with admin access belong to other claims: they are
  /// found, and never made.
  Outcome make(String uid, ClaimPlan plan, NodeDevices node) {
    List<Assigned> own = plan.devices().stream().filter(it -> !it.result().adminAccess()).toList();
    for (Assigned assigned : own) {
      if (assigned.device() instanceof WholeGpu(Gpu gpu) && isPartitionable(gpu, node)) {
        Optional<String> divided = step.makeWhole(gpu);
        if (divided.isPresent()) {
          return new Outcome.Failed(divided.get());
        }
      }
    }
    List<Partition> wanted = partitions(own);
    if (partitions(plan.devices()).isEmpty()) {
      return new Outcome.Made(plan, node);
    }
    boolean isKept = journal.of(uid).equals(wanted.stream().map(OwnPartition::of).toList());
    if (!isKept) {
      Optional<String> unwritten = put(uid, wanted.stream().map(OwnPartition::of).toList());
      if (unwritten.isPresent()) {
        return new Outcome.Failed(unwritten.get());
      }
    }
    steps.accept(ClaimPreparer.Step.PARTITIONS_JOURNALLED);
    return make(uid, new Wanted(wanted, isKept), plan, node);
  }

  private static boolean isPartitionable(Gpu gpu, NodeDevices node) {
    return node.devices().values().stream()
        .anyMatch(it -> it instanceof Partition && it.gpu().uuid().equals(gpu.uuid()));
  }

  /// @param isKept whether the journal had them before: the claim was prepared already
  private record Wanted(List<Partition> own, boolean isKept) {}

  private Outcome make(String uid, Wanted wanted, ClaimPlan plan, NodeDevices node) {
    var found = new HashMap<String, MigPart>();
    var made = new ArrayList<OwnPartition>();
    NodeDevices devices = node;
    for (Partition partition : partitions(plan.devices())) {
      switch (device(partition, wanted)) {
        case PartitionStep.Result.Found(var device) -> {
          found.put(partition.name(), device);
          devices = devices.with(device);
          made.add(OwnPartition.of(partition));
        }
        case PartitionStep.Result.Failed(var reason, boolean isLeft) -> {
          if (isLeft) {
            made.add(OwnPartition.of(partition));
          }
          made.retainAll(wanted.own().stream().map(OwnPartition::of).toList());
          if (!wanted.isKept()) {
            // What was not made may be the place of an instance of another owner.
            remove(uid, made).ifPresent(left -> LOG.atWarn().log(left));
          }
          return new Outcome.Failed(reason);
        }
      }
    }
    steps.accept(ClaimPreparer.Step.PARTITIONED);
    return new Outcome.Made(plan.with(found), devices);
  }

  private PartitionStep.Result device(Partition partition, Wanted wanted) {
    boolean isOwn = wanted.own().contains(partition);
    if (isOwn && !wanted.isKept()) {
      return step.make(partition);
    }
    PartitionStep.Result found = step.find(partition);
    return isOwn && found instanceof PartitionStep.Result.Failed ? step.make(partition) : found;
  }

  private static List<Partition> partitions(List<Assigned> devices) {
    return devices.stream()
        .map(Assigned::device)
        .filter(Partition.class::isInstance)
        .map(Partition.class::cast)
        .distinct()
        .toList();
  }

  /// Removes what a claim has made.
  ///
  /// @return what is left, and why
  Optional<String> remove(String uid) {
    List<OwnPartition> own = journal.of(uid);
    return own.isEmpty() ? Optional.empty() : remove(uid, own);
  }

  private Optional<String> remove(String uid, List<OwnPartition> own) {
    var left = new ArrayList<OwnPartition>();
    var problems = new ArrayList<String>();
    for (OwnPartition partition : own) {
      step.remove(partition)
          .ifPresent(problem -> {
            left.add(partition);
            problems.add(problem);
          });
    }
    put(uid, left).ifPresent(problems::add);
    return problems.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", problems));
  }

  /// After a start: removes what claims have made whose preparation did not end.
  ///
  /// @param isCompleted whether the claim of this UID is
  /// @return what is left, and why; the next call for the claim tries again
  List<String> recover(Predicate<String> isCompleted) {
    step.announce(names());
    return journal.all().keySet().stream()
        .filter(uid -> !isCompleted.test(uid))
        .flatMap(uid -> remove(uid).stream())
        .toList();
  }

  private Optional<String> put(String uid, List<OwnPartition> partitions) {
    var before = names();
    Optional<String> unwritten = journal.put(uid, partitions);
    if (!names().equals(before)) {
      step.announce(names());
    }
    return unwritten;
  }
}
