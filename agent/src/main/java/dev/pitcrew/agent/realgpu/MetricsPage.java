package dev.pitcrew.agent.realgpu;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A page of the metrics endpoint, by the names of its counters.
///
/// @param values counter to GPU index to the value of its first series
/// @param series how many there are of each counter
record MetricsPage(
    SortedMap<String, SortedMap<Integer, Double>> values, SortedMap<String, Integer> series) {
  private static final Pattern LINE =
      Pattern.compile("(DCGM_\\w+)\\{(?:[^}]*,)?gpu=\"(\\d+)\"[^}]*\\} (\\S+).*");

  static MetricsPage of(String page) {
    var values = new TreeMap<String, SortedMap<Integer, Double>>();
    var series = new TreeMap<String, Integer>();
    page.lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .forEach(line -> {
          var name = line.group(1);
          series.merge(name, 1, Integer::sum);
          values
              .computeIfAbsent(name, _ -> new TreeMap<>())
              .putIfAbsent(Integer.valueOf(line.group(2)), Double.valueOf(line.group(3)));
        });
    return new MetricsPage(values, series);
  }

  Map<Integer, Double> of(String counter, Map<Integer, Double> otherwise) {
    var found = values.get(counter);
    return found == null ? otherwise : found;
  }
}
