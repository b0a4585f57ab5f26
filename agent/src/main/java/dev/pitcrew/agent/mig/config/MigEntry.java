package dev.pitcrew.agent.mig.config;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.MigGpu;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One entry of a label: which GPUs, and how they are divided.
///
/// @param filters the texts of `device-filter`; an empty list is every GPU
/// @param devices indexes; empty is `all`
/// @param counts how many MIG devices of each shape; only what is wanted at least once
public record MigEntry(
    List<String> filters,
    Optional<List<Integer>> devices,
    boolean isEnabled,
    Map<MigProfile, Integer> counts) {
  public MigEntry {
    filters = List.copyOf(filters);
    devices = devices.map(List::copyOf);
    counts = new LinkedHashMap<>(counts);
  }

  public boolean isForAll() {
    return devices.isEmpty();
  }

  public boolean matches(MigGpu gpu) {
    boolean isListed = devices.map(list -> list.contains(gpu.index())).orElse(true);
    return isListed && (filters.isEmpty() || filters.stream().anyMatch(text -> passes(text, gpu)));
  }

  /// Which GPUs it is for, as the file says it, such as `devices [0, 1]`.
  public String matchText() {
    return (filters.isEmpty() ? "" : "device-filter " + String.join(", ", filters) + " and ")
        + "devices "
        + devices.map(List::toString).orElse("all");
  }

  private static boolean passes(String filter, MigGpu gpu) {
    return DeviceFilter.parse(filter).filter(found -> found.matches(gpu.ids())).isPresent();
  }

  /// Filters that match nothing because they are no device ids.
  public List<String> unreadableFilters() {
    return filters.stream().filter(text -> DeviceFilter.parse(text).isEmpty()).toList();
  }
}
