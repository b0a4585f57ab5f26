package dev.pitcrew.agent.health;

import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// All evidence against GPUs and MIG devices, newest first.
///
/// @param all by UUID; no device has an empty list, nor more than [#MOST]
public record Signs(Map<String, List<Sign>> all) {
  public static final Signs NONE = new Signs(Map.of());

  /// Of one device: a GPU that fails in ever new ways fails all the same.
  static final int MOST = 16;

  private static final Comparator<Sign> NEWEST_FIRST =
      Comparator.comparing(Sign::since)
          .reversed()
          .thenComparing(Sign::kind)
          .thenComparingLong(Sign::value);

  /// The worst of too many are kept, and how often the GPU was reset for them.
  private static final Comparator<Sign> WORST_FIRST =
      Comparator.comparing((Sign it) -> it.kind() != SignKind.RESET_IN_VAIN)
          .thenComparing(Comparator.comparing(Sign::level).reversed())
          .thenComparing(NEWEST_FIRST);

  public Signs {
    var kept = new HashMap<String, List<Sign>>();
    all.forEach((uuid, signs) -> {
      if (!signs.isEmpty()) {
        kept.put(
            uuid, signs.stream().sorted(WORST_FIRST).limit(MOST).sorted(NEWEST_FIRST).toList());
      }
    });
    all = Map.copyOf(kept);
  }

  /// Of one GPU or MIG device alone.
  public List<Sign> of(String uuid) {
    return all.getOrDefault(uuid, List.of());
  }

  /// Those of a device that count.
  public Stream<Sign> counting(String uuid) {
    return of(uuid).stream().filter(Sign::counts);
  }

  /// With an Xid that was reported for these devices.
  Signs withXid(Collection<String> uuids, long number, Instant now) {
    var next = new HashMap<>(all);
    for (String uuid : uuids) {
      var signs = new ArrayList<>(of(uuid));
      Optional<Sign> before =
          signs.stream().filter(it -> it.isXid() && it.value() == number).findFirst();
      before.ifPresent(signs::remove);
      signs.add(before.map(it -> it.repeated(now)).orElseGet(() -> Sign.xid(number, now)));
      next.put(uuid, signs);
    }
    return new Signs(next);
  }

  /// After a look at the state of a GPU, and with it of the clock.
  ///
  /// @param seen what its readings say against it
  Signs seeing(Gpu gpu, Map<SignKind, Long> seen, Instant now, HealthRules rules) {
    boolean wasReset = wasReset(gpu.uuid(), seen);
    var next = new HashMap<>(all);
    uuids(gpu)
        .forEach(uuid -> {
          boolean isWhole = uuid.equals(gpu.uuid());
          next.put(
              uuid,
              Stream.concat(
                      of(uuid).stream()
                          .filter(sign -> sign.kind() != SignKind.RESET_IN_VAIN)
                          .filter(sign -> !wasReset || !sign.isXid())
                          .flatMap(sign ->
                              isWhole && seen.containsKey(sign.kind())
                                  ? Stream.of(sign.again(seen.get(sign.kind()), now))
                                  : sign.unseen(now, rules.recoverAfter()).stream()),
                      isWhole ? fresh(uuid, seen, now) : Stream.empty())
                  .toList());
        });
    var seenNow = new Signs(next);
    return resets(gpu.uuid())
        .filter(_ -> HealthRules.isUnfit(seenNow.level(gpu)))
        .map(reset -> seenNow.with(gpu.uuid(), reset.inVain()))
        .orElse(seenNow);
  }

  /// The resets of a GPU that have not helped, or of which it is not known yet.
  public Optional<Sign> resets(String uuid) {
    return find(uuid, SignKind.RESET_IN_VAIN);
  }

  /// Before these GPUs are reset.
  Signs beforeReset(Collection<String> uuids, Instant now) {
    Signs next = this;
    for (String uuid : uuids) {
      long before = resets(uuid).map(Sign::value).orElse(0L);
      next = next.without(uuid).with(uuid, Sign.reset(before + 1, now));
    }
    return next;
  }

  /// After a reset of a GPU: earlier events are void. Readings will be read again.
  Signs afterReset(Gpu gpu) {
    var next = new HashMap<>(all);
    uuids(gpu)
        .forEach(uuid ->
            next.put(
                uuid,
                of(uuid).stream()
                    .filter(sign -> !sign.isXid())
                    .map(sign -> sign.kind() == SignKind.RESET_IN_VAIN ? sign.made() : sign)
                    .toList()));
    return new Signs(next);
  }

  /// These GPUs were not reset after all.
  Signs notReset(Collection<String> uuids) {
    Signs next = this;
    for (String uuid : uuids) {
      Optional<Sign> tried = resets(uuid);
      next = next.without(uuid);
      if (tried.filter(it -> it.value() > 1).isPresent()) {
        Sign sign = tried.get();
        next =
            next.with(
                uuid,
                new Sign(sign.kind(), sign.value() - 1, sign.since(), true, Optional.empty()));
      }
    }
    return next;
  }

  private Signs with(String uuid, Sign sign) {
    var next = new HashMap<>(all);
    next.put(uuid, Stream.concat(Stream.of(sign), of(uuid).stream()).toList());
    return new Signs(next);
  }

  /// Without the resets of a GPU.
  private Signs without(String uuid) {
    var next = new HashMap<>(all);
    next.put(uuid, of(uuid).stream().filter(it -> it.kind() != SignKind.RESET_IN_VAIN).toList());
    return new Signs(next);
  }

  private Stream<Sign> fresh(String uuid, Map<SignKind, Long> seen, Instant now) {
    return seen.entrySet().stream()
        .filter(it -> find(uuid, it.getKey()).isEmpty())
        .map(it -> Sign.seen(it.getKey(), it.getValue(), now));
  }

  /// Evidence that only a reset clears is gone: earlier events are void with it.
  private boolean wasReset(String uuid, Map<SignKind, Long> seen) {
    return find(uuid, SignKind.RECOVERY_ACTION)
            .filter(sign -> HealthRules.isUnfit(sign.level()))
            .filter(_ -> !seen.containsKey(SignKind.RECOVERY_ACTION))
            .isPresent()
        || find(uuid, SignKind.UNCORRECTED_ECC)
            .filter(sign -> seen.getOrDefault(SignKind.UNCORRECTED_ECC, 0L) < sign.value())
            .isPresent();
  }

  private Optional<Sign> find(String uuid, SignKind kind) {
    return of(uuid).stream().filter(it -> it.kind() == kind).findFirst();
  }

  /// How many NVLinks of a GPU are known to be down.
  long linksDown(String uuid) {
    return find(uuid, SignKind.NVLINKS_DOWN).map(Sign::value).orElse(0L);
  }

  /// Without the devices for which this does not hold.
  Signs of(Predicate<String> devices) {
    return new Signs(
        all.entrySet().stream()
            .filter(entry -> devices.test(entry.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /// Without the signs for which this does not hold.
  Signs where(Predicate<Sign> holds) {
    return new Signs(
        all.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, it -> it.getValue().stream().filter(holds).toList())));
  }

  /// Why devices must not be used, by UUID: any Xid, for which the policy knows what it ignores,
  /// and what needs a reset at least.
  Map<String, String> unfit() {
    var unfit = new HashMap<String, String>();
    all.forEach((uuid, _) ->
        counting(uuid)
            .filter(it -> it.isXid() || HealthRules.isUnfit(it.level()))
            .findFirst()
            .ifPresent(it -> unfit.put(uuid, it.reason())));
    return unfit;
  }

  /// The level of a GPU with all its parts.
  HealthLevel level(Gpu gpu) {
    return uuids(gpu)
        .flatMap(this::counting)
        .map(Sign::level)
        .max(Comparator.naturalOrder())
        .orElse(HealthLevel.HEALTHY);
  }

  static Stream<String> uuids(Gpu gpu) {
    return Stream.concat(
        Stream.of(gpu.uuid()), gpu.mig().migDevices().stream().map(MigDevice::uuid));
  }
}
