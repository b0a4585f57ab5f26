package dev.pitcrew.agent.driver.plan;

import java.util.Map;
import java.util.TreeMap;

/// That the driver could not be unloaded although nobody was left to use it: only a reboot helps.
/// It is kept so that the next try knows it before it pauses anything.
///
/// @param bootId of the kernel that was running; after a reboot the word is void
/// @param inUse how often each module was used
/// @param words what was seen, for people
public record Wedge(String bootId, Map<String, Integer> inUse, String words) {
  public Wedge {
    inUse = Map.copyOf(inUse);
  }

  /// Whether it is still so: the same kernel, and no count has come down.
  boolean holds(String bootIdNow, LoadedModules modules) {
    return !bootIdNow.isEmpty()
        && bootId.equals(bootIdNow)
        && modules.hasDriver()
        && inUse.entrySet().stream()
            .allMatch(it -> modules.inUse().getOrDefault(it.getKey(), 0) >= it.getValue());
  }

  @Override
  public String toString() {
    return "%s (%s)".formatted(words, new TreeMap<>(inUse));
  }
}
