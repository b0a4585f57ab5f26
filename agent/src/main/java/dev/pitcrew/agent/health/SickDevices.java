package dev.pitcrew.agent.health;

import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The devices that are sick at this moment and why. An event adds to it, a reset or a driver that
/// was loaded anew takes away from it, and who does not answer is sick for just as long.
///
/// @param xids by the UUID of a GPU or of a MIG device
/// @param unanswered by the UUID of a GPU, in words
/// @param lost those GPUs that do not answer and that only a reset brings back
/// @param driverLoad under which load of the driver that was seen; empty where it cannot be told
public record SickDevices(
    Map<String, Xid> xids,
    Map<String, String> unanswered,
    Set<String> lost,
    Optional<String> driverLoad) {
  public static final SickDevices NONE = new SickDevices(Map.of(), Map.of());

  /// The last critical Xid of a device.
  public record Xid(long number, Instant since) {
    @Override
    public String toString() {
      return "Xid " + number;
    }
  }

  public SickDevices {
    xids = Map.copyOf(xids);
    unanswered = Map.copyOf(unanswered);
    lost = Set.copyOf(lost);
  }

  public SickDevices(Map<String, Xid> xids, Map<String, String> unanswered) {
    this(xids, unanswered, Set.of());
  }

  public SickDevices(Map<String, Xid> xids, Map<String, String> unanswered, Set<String> lost) {
    this(xids, unanswered, lost, Optional.empty());
  }

  /// After an event. One that the policy ignores changes nothing.
  public SickDevices after(XidEvent event, Inventory inventory, XidPolicy policy, Instant now) {
    if (!policy.isCritical(event.xid())) {
      return this;
    }
    Map<String, Xid> more = new HashMap<>(xids);
    Affected.by(event, inventory)
        .forEach(uuid -> more.merge(uuid, new Xid(event.xid(), now), SickDevices::sooner));
    return new SickDevices(more, unanswered, lost, driverLoad);
  }

  /// A storm of the same Xid is one sickness.
  private static Xid sooner(Xid before, Xid next) {
    return before.number() == next.number() ? before : next;
  }

  /// After a look at the node: who does not answer now is sick, whoever answers again is not, and
  /// what is gone is forgotten. A GPU that was lost and answers again was reset with all its parts.
  public SickDevices seeing(KnownGpus known) {
    Set<String> still =
        known.inventory().gpus().stream()
            .filter(gpu -> !lost.contains(gpu.uuid()) || known.lost().contains(gpu.uuid()))
            .flatMap(SickDevices::uuids)
            .collect(Collectors.toSet());
    return new SickDevices(keep(still), known.unanswered(), known.lost(), driverLoad);
  }

  /// After the driver was loaded anew, which resets every GPU.
  public SickDevices afterDriverStart() {
    return NONE;
  }

  /// Under the driver as it is loaded now: every GPU was reset if that is another load than before.
  public SickDevices underLoad(Optional<String> load) {
    return isOfOtherLoad(load)
        ? new SickDevices(Map.of(), Map.of(), Set.of(), load)
        : new SickDevices(xids, unanswered, lost, load.or(() -> driverLoad));
  }

  /// Whether the driver was surely loaded anew since.
  public boolean isOfOtherLoad(Optional<String> load) {
    return load.isPresent() && driverLoad.isPresent() && !load.equals(driverLoad);
  }

  /// Under another policy: what it ignores speaks against nobody.
  public SickDevices under(XidPolicy policy) {
    Map<String, Xid> critical = new HashMap<>(xids);
    critical.values().removeIf(xid -> !policy.isCritical(xid.number()));
    return new SickDevices(critical, unanswered, lost, driverLoad);
  }

  /// As it is offered.
  public Health health() {
    Map<String, String> sick = new HashMap<>(unanswered);
    xids.forEach((uuid, xid) -> sick.putIfAbsent(uuid, xid.toString()));
    return new Health(sick);
  }

  /// Everything is sick for the same reason, such as a driver that was unloaded.
  public static Health all(Inventory inventory, String reason) {
    return new Health(inventory.gpus().stream().collect(Collectors.toMap(Gpu::uuid, _ -> reason)));
  }

  public Optional<Xid> xid(String uuid) {
    return Optional.ofNullable(xids.get(uuid));
  }

  private Map<String, Xid> keep(Set<String> uuids) {
    return xids.entrySet().stream()
        .filter(entry -> uuids.contains(entry.getKey()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static Stream<String> uuids(Gpu gpu) {
    return Stream.concat(
        Stream.of(gpu.uuid()), gpu.mig().migDevices().stream().map(MigDevice::uuid));
  }
}
