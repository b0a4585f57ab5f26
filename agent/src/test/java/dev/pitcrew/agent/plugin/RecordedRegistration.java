package dev.pitcrew.agent.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kubelet.deviceplugin.Device;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// One resource of a recording, with ids in place of the recorded ones: the UUIDs of MIG devices
/// belong to the recording. Devices of one NUMA node correspond in their order.
record RecordedRegistration(JsonNode json, Map<String, String> ids) {
  private static final Pattern NUMBER_OF_IDS = Pattern.compile("(\\d+) ids");
  private static final int EVERY_OTHER = 2;
  private static final int LEFT_OUT_AT_FIRST = 3;

  static RecordedRegistration of(JsonNode json, List<Device> devices) {
    Map<String, String> ids = new HashMap<>();
    Map<Long, List<String>> byNode = new HashMap<>();
    devices.forEach(it -> byNode.computeIfAbsent(node(it), _ -> new ArrayList<>()).add(it.getID()));
    for (JsonNode device : json.path("first_list")) {
      String recorded = device.path("id").asText();
      boolean isListed = devices.stream().anyMatch(it -> it.getID().equals(recorded));
      ids.put(recorded, isListed ? recorded : next(byNode, device));
    }
    return new RecordedRegistration(json, ids);
  }

  private static String next(Map<Long, List<String>> byNode, JsonNode recorded) {
    long node = recorded.path("numa").path(0).asLong();
    return byNode.getOrDefault(node, new ArrayList<>()).removeFirst();
  }

  private static long node(Device device) {
    return device.getTopology().getNodes(0).getID();
  }

  String text(String field) {
    return json.path(field).asText();
  }

  Collection<String> listed() {
    return ids.values();
  }

  String translated(String text) {
    return ids.entrySet().stream()
        .reduce(
            text,
            (sofar, entry) -> sofar.replace(entry.getKey(), entry.getValue()),
            (one, _) -> one);
  }

  List<String> translated(JsonNode array) {
    return Facts.texts(array).stream().map(this::translated).toList();
  }

  /// The ids that were available; long lists were only counted.
  List<String> available(JsonNode available) {
    if (available.isArray()) {
      return translated(available);
    }
    var counted = NUMBER_OF_IDS.matcher(available.asText());
    List<String> all = new ArrayList<>();
    json.path("first_list").forEach(device -> all.add(translated(device.path("id").asText())));
    return counted.matches() ? selected(all, Integer.parseInt(counted.group(1))) : List.of();
  }

  private static List<String> selected(List<String> all, int count) {
    if (count == all.size() / EVERY_OTHER) {
      return byPlace(all, place -> place % EVERY_OTHER == 0);
    }
    return all.size() - count == LEFT_OUT_AT_FIRST
        ? byPlace(all, place -> place >= LEFT_OUT_AT_FIRST)
        : all.subList(all.size() - count, all.size());
  }

  private static List<String> byPlace(List<String> all, Predicate<Integer> isTaken) {
    List<String> taken = new ArrayList<>();
    for (int place = 0; place < all.size(); place++) {
      if (isTaken.test(place)) {
        taken.add(all.get(place));
      }
    }
    return taken;
  }
}
