package dev.pitcrew.agent.driver.plan;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The driver could not be unloaded although no user was left: only a reboot helps. It is stored so
/// that the next attempt knows it before it pauses anything.
///
/// @param bootId of the kernel that was running; after a reboot the record is void
/// @param inUse how often each module was used
/// @param words what was seen, as text for users; without the node
public record StuckDriver(String bootId, Map<String, Integer> inUse, String words) {
  public StuckDriver {
    inUse = Map.copyOf(inUse);
  }

  /// The record, once no other user can be the reason.
  ///
  /// @param inUse how often each module is used; empty where the kernel refuses all the same
  /// @param seen what the kernel says
  public static StuckDriver found(String bootId, Map<String, Integer> inUse, String seen) {
    if (inUse.isEmpty()) {
      return new StuckDriver(bootId, inUse, "the driver is wedged (%s)".formatted(seen));
    }
    String users =
        new TreeMap<>(inUse)
            .entrySet().stream()
                .map(it ->
                    "%s is wedged (%d references, no holder)".formatted(it.getKey(), it.getValue()))
                .collect(Collectors.joining(", "));
    return new StuckDriver(bootId, inUse, "module " + users);
  }

  /// Whether it is still so: the same kernel, and no count has come down.
  boolean holds(String bootIdNow, LoadedModules modules) {
    return !bootIdNow.isEmpty()
        && bootId.equals(bootIdNow)
        && modules.hasDriver()
        && inUse.entrySet().stream()
            .allMatch(it -> modules.inUse().getOrDefault(it.getKey(), 0) >= it.getValue());
  }
}
