package dev.pitcrew.device.dra;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// How several claims can hold one device at the same time (KEP-5075, consumable capacity). The
/// values are those of CONSUMABLE_SHARES of NVIDIA's DRA driver. The scheduler counts what claims
/// take; nothing keeps the processes of a claim to its amount.
public sealed interface ConsumableShares {
  /// What a text may be.
  String ALLOWED = "disabled, memory, unlimited, or a number from 1 to 999999999";

  Pattern COUNT = Pattern.compile("[1-9][0-9]{0,8}");

  /// A device is for one claim.
  record Disabled() implements ConsumableShares {}

  /// As many claims as the memory lasts for. A claim that names no amount takes all of it.
  record ByMemory() implements ConsumableShares {}

  /// Any number of claims. A claim that names no amount of memory takes none.
  record Unlimited() implements ConsumableShares {}

  /// A device has so many shares, of which a claim takes one unless it asks for more. A claim that
  /// names no amount of memory takes none.
  record Counted(int shares) implements ConsumableShares {}

  /// Empty for what is none of [#ALLOWED].
  static Optional<ConsumableShares> of(String text) {
    return switch (text) {
      case "disabled" -> Optional.of(new Disabled());
      case "memory" -> Optional.of(new ByMemory());
      case "unlimited" -> Optional.of(new Unlimited());
      default ->
          Optional.of(text)
              .filter(it -> COUNT.matcher(it).matches())
              .map(it -> new Counted(Integer.parseInt(it)));
    };
  }

  /// The capacities that claims share of a device; empty for a device of one claim. A device whose
  /// memory is not known is not shared by memory.
  ///
  /// @param memoryBytes of the device; 0 where it is not known
  default Optional<SortedMap<String, SharedCapacity>> capacities(long memoryBytes) {
    var capacities = new TreeMap<String, SharedCapacity>();
    long memory = memoryBytes / SharedCapacity.MIB * SharedCapacity.MIB;
    switch (this) {
      case Disabled() -> {
        return Optional.empty();
      }
      case ByMemory() -> {
        if (memory == 0) {
          return Optional.empty();
        }
        capacities.put("memory", SharedCapacity.allUnlessAsked(memory));
      }
      case Unlimited() -> addMemory(capacities, memory);
      case Counted(int shares) -> {
        addMemory(capacities, memory);
        capacities.put("shares", SharedCapacity.oneUnlessAsked(shares));
      }
    }
    return Optional.of(capacities);
  }

  private static void addMemory(SortedMap<String, SharedCapacity> to, long memory) {
    if (memory > 0) {
      to.put("memory", SharedCapacity.noneUnlessAsked(memory));
    }
  }
}
