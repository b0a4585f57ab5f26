package dev.pitcrew.agent.health;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.core.xids.XidCatalogue;
import java.util.Map;
import java.util.stream.Collectors;

/// To which level an Xid leads.
final class XidLevels {
  private static final Map<Long, HealthLevel> BY_NUMBER =
      XidCatalogue.entries().stream()
          .collect(
              Collectors.toUnmodifiableMap(
                  XidCatalogue.Entry::number,
                  it -> ApiJson.read("\"" + it.level() + "\"", HealthLevel.class)));

  private XidLevels() {}

  /// One that the catalogue does not know degrades.
  static HealthLevel of(long xid) {
    return BY_NUMBER.getOrDefault(xid, HealthLevel.DEGRADED);
  }
}
