package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.core.fleet.HealthLevels;
import java.util.List;

/// One GPU of a node.
///
/// @param index that the driver gives it; empty before the driver is loaded
/// @param migCapable whether it can be divided
/// @param profiles of its MIG instances
/// @param level how well it is; empty where it is not known
/// @param evidence for the level, newest first
public record Gpu(
    String pciAddress,
    String index,
    String uuid,
    String product,
    boolean migCapable,
    List<String> profiles,
    String level,
    String since,
    List<String> evidence) {
  static Gpu of(Json gpu) {
    return new Gpu(
        gpu.at("pciAddress").text(),
        gpu.at("index").text(),
        gpu.at("uuid").text(),
        gpu.at("product").text(),
        gpu.at("migCapable").isTrue(),
        gpu.at("instances").items().stream().map(it -> it.at("profile").text()).toList(),
        gpu.at("health", "level").text(),
        gpu.at("health", "since").text(),
        gpu.at("health", "evidence").texts());
  }

  /// The worse the higher.
  public int badness() {
    return HealthLevels.badness(level);
  }

  /// Whether no pod gets it.
  public boolean isUnhealthy() {
    return HealthLevels.isUnhealthy(level);
  }

  /// Whether something speaks against it.
  public boolean isWorseThanHealthy() {
    return HealthLevels.isWorseThanHealthy(level);
  }

  /// Such as `GPU 5`, or its address while it has no index.
  public String title() {
    return "GPU " + (index.isEmpty() ? pciAddress : index);
  }
}
