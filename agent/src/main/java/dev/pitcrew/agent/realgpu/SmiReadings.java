package dev.pitcrew.agent.realgpu;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What `nvidia-smi -q -x` says of each GPU, in its order, which is NVML's: path of an element
/// below `gpu`, such as `temperature/gpu_temp`, to its text. Of elements that come more than once
/// the first.
record SmiReadings(List<Map<String, String>> gpus) {
  private static final Pattern TAG =
      Pattern.compile("<(/?)([A-Za-z0-9_]+)[^>]*?(/?)>([^<]*)", Pattern.DOTALL);

  static SmiReadings of(String xml) {
    var gpus = new ArrayList<Map<String, String>>();
    var path = new ArrayDeque<String>();
    var tags = TAG.matcher(xml);
    while (tags.find()) {
      var name = tags.group(2);
      if (!tags.group(1).isEmpty()) {
        path.pollLast();
        continue;
      }
      if (tags.group(3).isEmpty()) {
        path.addLast(name);
      }
      var names = List.copyOf(path);
      if (names.size() == 2 && name.equals("gpu")) {
        gpus.add(new TreeMap<>());
      } else if (names.size() > 2 && names.get(1).equals("gpu") && !tags.group(4).isBlank()) {
        gpus.getLast()
            .putIfAbsent(String.join("/", names.subList(2, names.size())), tags.group(4).strip());
      }
    }
    return new SmiReadings(List.copyOf(gpus));
  }
}
