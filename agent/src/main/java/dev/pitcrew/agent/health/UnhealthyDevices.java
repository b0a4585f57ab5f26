package dev.pitcrew.agent.health;

import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The devices that are unhealthy now, and why. An event adds to it, a reset or a reload of the
/// driver removes from it, and a GPU that does not answer is unhealthy until it answers.
///
/// @param signs the evidence against a GPU or a MIG device, by its UUID
/// @param unanswered by the UUID of a GPU, in words
/// @param lost those GPUs that do not answer and that only a reset brings back
/// @param driverLoad under which load of the driver that was seen; empty where it is unknown
public record UnhealthyDevices(
    Signs signs, Map<String, String> unanswered, Set<String> lost, Optional<String> driverLoad) {
  public static final UnhealthyDevices NONE = new UnhealthyDevices(Map.of(), Map.of());

  /// A critical Xid of a device.
  public record Xid(long number, Instant since) {
    @Override
    public String toString() {
      return "Xid " + number;
    }
  }

  public UnhealthyDevices {
    unanswered = Map.copyOf(unanswered);
    lost = Set.copyOf(lost);
  }

  public UnhealthyDevices(Map<String, Xid> xids, Map<String, String> unanswered) {
    this(xids, unanswered, Set.of(), Optional.empty());
  }

  /// Devices with an Xid each.
  public UnhealthyDevices(
      Map<String, Xid> xids,
      Map<String, String> unanswered,
      Set<String> lost,
      Optional<String> driverLoad) {
    this(signs(xids), unanswered, lost, driverLoad);
  }

  private static Signs signs(Map<String, Xid> xids) {
    return new Signs(
        xids.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    it -> List.of(Sign.xid(it.getValue().number(), it.getValue().since())))));
  }

  /// After an event. One that the policy ignores changes nothing.
  public UnhealthyDevices after(
      XidEvent event, Inventory inventory, XidPolicy policy, Instant now) {
    return policy.isCritical(event.xid())
        ? with(signs.withXid(Affected.by(event, inventory), event.xid(), now))
        : this;
  }

  /// After a look at the node: a GPU that does not answer is unhealthy until it answers; a removed
  /// GPU is dropped. A GPU that was lost and answers again was reset with all its parts.
  public UnhealthyDevices seeing(KnownGpus known) {
    Set<String> still =
        known.inventory().gpus().stream()
            .filter(gpu -> !lost.contains(gpu.uuid()) || known.lost().contains(gpu.uuid()))
            .flatMap(Signs::uuids)
            .collect(Collectors.toSet());
    return new UnhealthyDevices(
        signs.of(still::contains), known.unanswered(), known.lost(), driverLoad);
  }

  /// After a look at the readings of a GPU.
  public UnhealthyDevices seeing(
      Gpu gpu, Map<SignKind, Long> seen, Instant now, HealthRules rules) {
    return with(signs.seeing(gpu, seen, now, rules));
  }

  /// Before these GPUs are reset, which is stored: the successor of an agent that was killed
  /// meanwhile knows that a reset was tried.
  public UnhealthyDevices beforeReset(Collection<String> uuids, Instant now) {
    return with(signs.beforeReset(uuids, now));
  }

  /// After these GPUs were reset.
  public UnhealthyDevices afterReset(Collection<Gpu> gpus) {
    Signs next = signs;
    for (Gpu gpu : gpus) {
      next = next.afterReset(gpu);
    }
    return with(next);
  }

  /// After a reset of these GPUs that was refused.
  public UnhealthyDevices notReset(Collection<String> uuids) {
    return with(signs.notReset(uuids));
  }

  /// After the driver was out of sight: it was reloaded, which resets every GPU, unless this is
  /// certainly the same load. Its files alone go and come with the pod of a driver container.
  public UnhealthyDevices afterDriverStart(Optional<String> load) {
    return isOfSameLoad(load) ? this : NONE;
  }

  /// Under the driver as it is loaded now: every GPU was reset if that is another load than before.
  public UnhealthyDevices underLoad(Optional<String> load) {
    return isOfOtherLoad(load)
        ? new UnhealthyDevices(Signs.NONE, Map.of(), Set.of(), load)
        : new UnhealthyDevices(signs, unanswered, lost, load.or(() -> driverLoad));
  }

  /// Whether the driver was certainly reloaded since.
  public boolean isOfOtherLoad(Optional<String> load) {
    return load.isPresent() && driverLoad.isPresent() && !load.equals(driverLoad);
  }

  /// Whether the driver was certainly not reloaded since.
  public boolean isOfSameLoad(Optional<String> load) {
    return load.isPresent() && load.equals(driverLoad);
  }

  /// Under another policy: Xids that it ignores are dropped.
  public UnhealthyDevices under(XidPolicy policy) {
    return with(signs.where(sign -> !sign.isXid() || policy.isCritical(sign.value())));
  }

  /// Where the readings of GPUs are not watched, only Xids count: nothing would ever clear the
  /// other evidence.
  public UnhealthyDevices byXidsOnly() {
    return with(signs.where(Sign::isXid));
  }

  /// Where evidence does not count, and only what is withheld or does not answer.
  public UnhealthyDevices withoutEvidence() {
    return new UnhealthyDevices(Signs.NONE, unanswered, Set.of(), driverLoad);
  }

  /// As it is offered.
  public Health health() {
    Map<String, String> unhealthy = new HashMap<>(signs.unfit());
    unhealthy.putAll(unanswered);
    return new Health(unhealthy);
  }

  /// With GPUs that are temporarily withheld, including all their parts.
  ///
  /// @param why by their UUIDs
  public UnhealthyDevices withholding(Map<String, String> why) {
    var all = new HashMap<>(unanswered);
    why.forEach(all::putIfAbsent);
    return new UnhealthyDevices(signs, all, lost, driverLoad);
  }

  /// The level of a GPU that answers.
  public HealthLevel level(Gpu gpu) {
    return signs.level(gpu);
  }

  /// All GPUs are unhealthy for the same reason, such as an unloaded driver.
  public static Health all(Inventory inventory, String reason) {
    return new Health(inventory.gpus().stream().collect(Collectors.toMap(Gpu::uuid, _ -> reason)));
  }

  private UnhealthyDevices with(Signs next) {
    return new UnhealthyDevices(next, unanswered, lost, driverLoad);
  }
}
