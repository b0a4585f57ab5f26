package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// How long a scenario's recordings wait: the content of its `timing.json`, an object with `quiet`
/// and `limit` (seconds) and `until` (facts by path), and the same for a step under its number.
///
/// The seconds of quiet in the files are meant for looking at the cluster now and then, six being
/// usual. A player that watches needs less, so they are taken as a proportion of its own quiet.
public record Timing(JsonNode content) {
  private static final double USUAL_QUIET_SECONDS = 6;
  private static final double USUAL_LIMIT_SECONDS = 60;

  static Timing read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return new Timing(FactsText.parse("{}"));
    }
    try {
      return new Timing(FactsText.parse(Files.readString(file)));
    } catch (IllegalArgumentException e) {
      throw new RefusedFile(file, String.valueOf(e.getMessage()));
    }
  }

  /// The pace of the first recording.
  ///
  /// @param usualQuiet the player's own quiet
  Pace first(Duration usualQuiet) {
    return pace(content, usualQuiet);
  }

  /// The pace after a step, whose own values go before those of the scenario.
  Pace after(Scenario.Step step, Duration usualQuiet) {
    return pace(content.path(step.number()), usualQuiet);
  }

  private Pace pace(JsonNode own, Duration usualQuiet) {
    var quiet = seconds(own, "quiet", USUAL_QUIET_SECONDS) / USUAL_QUIET_SECONDS;
    var limit = seconds(own, "limit", USUAL_LIMIT_SECONDS);
    return new Pace(scaled(usualQuiet, quiet), scaled(Duration.ofSeconds(1), limit), until(own));
  }

  private double seconds(JsonNode own, String field, double usual) {
    return own.path(field).asDouble(content.path(field).asDouble(usual));
  }

  private Map<String, String> until(JsonNode own) {
    var facts = own.has("until") ? own.path("until") : content.path("until");
    var until = new LinkedHashMap<String, String>();
    facts
        .properties()
        .forEach(fact -> until.put(fact.getKey(), FactsText.compact(fact.getValue())));
    return until;
  }

  private static Duration scaled(Duration unit, double factor) {
    return Duration.ofMillis(Math.round(unit.toMillis() * factor));
  }
}
