package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A page of metrics, read by the rules of Prometheus' text format: a page that breaks one fails.
final class Scrape {
  private static final Pattern SAMPLE =
      Pattern.compile(
          "(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(?<labels>.*)})? (?<value>-?\\d+(?:\\.\\d+)?)");
  private static final Pattern LABEL =
      Pattern.compile(
          "(?<name>[a-zA-Z_][a-zA-Z0-9_]*)=\"(?<value>(?:[^\"\\\\\\n]|\\\\[\\\\n\"])*)\"");

  private final List<Sample> samples = new ArrayList<>();
  private final Map<String, String> types = new LinkedHashMap<>();

  record Sample(String name, Map<String, String> labels, double value) {}

  private Scrape() {}

  static Scrape of(byte[] page) {
    return of(new String(page, StandardCharsets.UTF_8));
  }

  static Scrape of(String page) {
    var scrape = new Scrape();
    var seen = new HashSet<String>();
    String family = "";
    assertThat(page).endsWith("\n");
    for (String line : page.lines().toList()) {
      if (line.startsWith("# HELP ")) {
        family = line.split(" ", 4)[2];
        assertThat(scrape.types).as("one head for each metric").doesNotContainKey(family);
      } else if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ", -1);
        assertThat(words[2]).isEqualTo(family);
        assertThat(words[3]).isIn("gauge", "counter", "unknown");
        scrape.types.put(family, words[3]);
      } else if (!line.equals("# EOF")) {
        Sample sample = sample(line);
        assertThat(sample.name()).as("samples stand below their head").isEqualTo(family);
        assertThat(seen.add(sample.name() + new TreeMap<>(sample.labels())))
            .as("one sample for each set of labels: " + line)
            .isTrue();
        scrape.samples.add(sample);
      }
    }
    return scrape;
  }

  private static Sample sample(String line) {
    Matcher match = SAMPLE.matcher(line);
    assertThat(match.matches()).as(line).isTrue();
    var labels = new LinkedHashMap<String, String>();
    String rest = Optional.ofNullable(match.group("labels")).orElse("");
    Matcher label = LABEL.matcher(rest);
    int end = 0;
    while (label.find()) {
      assertThat(label.start()).as(line).isEqualTo(end == 0 ? 0 : end + 1);
      assertThat(labels.put(label.group("name"), label.group("value"))).as(line).isNull();
      end = label.end();
    }
    assertThat(end).as(line).isEqualTo(rest.length());
    return new Sample(match.group("name"), labels, Double.parseDouble(match.group("value")));
  }

  Map<String, String> types() {
    return types;
  }

  List<Sample> of(String name, Map<String, String> labels) {
    return samples.stream()
        .filter(it -> it.name().equals(name))
        .filter(it -> it.labels().entrySet().containsAll(labels.entrySet()))
        .toList();
  }

  Optional<Double> value(String name, int gpu) {
    return of(name, Map.of("gpu", String.valueOf(gpu))).stream().findFirst().map(Sample::value);
  }
}
