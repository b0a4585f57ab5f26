package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// What the queries of dashboards ask for: names of metrics, each with the labels that are asked of
/// it.
final class MetricQueries {
  private static final Pattern METRIC =
      Pattern.compile("(?<name>(?:DCGM|gpu_operator|pitcrew)_\\w+)(?:\\{(?<matchers>[^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");
  private static final Pattern BY = Pattern.compile("\\bby \\(([^)]*)\\)");
  private static final Pattern VALUES = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

  private MetricQueries() {}

  /// The expressions of all panels, with a value for each variable.
  static List<String> expressions(Path dashboards) throws IOException {
    var expressions = new ArrayList<String>();
    for (JsonNode dashboard : read(dashboards)) {
      for (JsonNode panel : dashboard.path("panels")) {
        panel.path("targets").forEach(it -> expressions.add(filled(it.path("expr").asText())));
      }
    }
    return expressions;
  }

  /// The labels that are asked of each metric, by panels and by variables.
  static Map<String, Set<String>> asked(Path dashboards) throws IOException {
    var asked = new TreeMap<String, Set<String>>();
    for (String expression : expressions(dashboards)) {
      Set<String> grouped = new TreeSet<>();
      BY.matcher(expression)
          .results()
          .forEach(it -> grouped.addAll(List.of(it.group(1).split(", ", -1))));
      var metrics = METRIC.matcher(expression);
      while (metrics.find()) {
        Set<String> labels =
            asked.computeIfAbsent(metrics.group("name"), _ -> new TreeSet<>(grouped));
        labels.addAll(grouped);
        String matchers = metrics.group("matchers");
        if (matchers != null) {
          MATCHER.matcher(matchers).results().forEach(it -> labels.add(it.group(1)));
        }
      }
    }
    for (JsonNode dashboard : read(dashboards)) {
      for (JsonNode variable : dashboard.at("/templating/list")) {
        var query = VALUES.matcher(variable.path("query").asText());
        if (query.matches()) {
          asked.computeIfAbsent(query.group(1), _ -> new TreeSet<>()).add(query.group(2));
        }
      }
    }
    return asked;
  }

  private static String filled(String expression) {
    return expression.replace("$__rate_interval", "5m").replaceAll("\\$\\w+", "x");
  }

  private static List<JsonNode> read(Path dashboards) throws IOException {
    var read = new ArrayList<JsonNode>();
    try (var files = Files.list(dashboards)) {
      for (Path file : files.sorted().toList()) {
        read.add(new ObjectMapper().readTree(file.toFile()));
      }
    }
    return read;
  }
}
