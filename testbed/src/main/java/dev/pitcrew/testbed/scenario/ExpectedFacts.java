package dev.pitcrew.testbed.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import dev.pitcrew.testbed.scenario.play.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The facts that a scenario should leave: its golden files, or the project's own in their place.
///
/// The project keeps its own as `SCENARIO/golden*.json`, with a file `reason` beside them. They are
/// for the few scenarios in which it differs by design; more than a handful is refused.
///
/// @param folders the folder with the project's own expected facts, by scenario
/// @param reasons why, by scenario
record ExpectedFacts(Map<String, Path> folders, Map<String, String> reasons) {
  private static final int MOST_SCENARIOS = 8;

  /// @throws RefusedFile where the folder breaks the rules
  static ExpectedFacts read(Optional<Path> folder, List<Scenario> scenarios) throws IOException {
    var folders = new TreeMap<String, Path>();
    var reasons = new TreeMap<String, String>();
    var byName = scenarios.stream().collect(Collectors.toMap(Scenario::name, Function.identity()));
    for (var own : folder.isPresent() ? children(folder.get()) : List.<Path>of()) {
      var name = own.getFileName().toString();
      var scenario = byName.get(name);
      if (scenario == null) {
        throw new RefusedFile(own, "there is no scenario of this name");
      }
      requireFactsOfItsOwn(own, scenario);
      folders.put(name, own);
      reasons.put(name, reason(own));
    }
    if (folders.size() > MOST_SCENARIOS) {
      throw new RefusedFile(
          folder.orElseThrow(),
          "%d scenarios have expected facts of their own, at most %d may"
              .formatted(folders.size(), MOST_SCENARIOS));
    }
    return new ExpectedFacts(folders, reasons);
  }

  /// The facts expected in one recording of a scenario.
  JsonNode of(Scenario scenario, String golden) throws IOException {
    var own =
        Optional.ofNullable(folders.get(scenario.name())).map(folder -> folder.resolve(golden));
    return facts(own.filter(Files::exists).orElse(scenario.folder().resolve(golden)));
  }

  private static void requireFactsOfItsOwn(Path own, Scenario scenario) throws IOException {
    for (var file : children(own)) {
      var name = file.getFileName().toString();
      if (name.equals("reason")) {
        continue;
      }
      if (!scenario.goldens().contains(name)) {
        throw new RefusedFile(file, "the scenario makes no such recording");
      }
      if (facts(file).equals(facts(scenario.folder().resolve(name)))) {
        throw new RefusedFile(file, "is equal to the scenario's own golden file: remove it");
      }
    }
  }

  private static String reason(Path own) throws IOException {
    var file = own.resolve("reason");
    var reason = Files.exists(file) ? Files.readString(file).strip() : "";
    if (reason.isEmpty()) {
      throw new RefusedFile(own, "give a reason in a file named reason");
    }
    return reason;
  }

  private static JsonNode facts(Path file) throws IOException {
    try {
      return FactsText.parse(Files.readString(file));
    } catch (IllegalArgumentException e) {
      throw new RefusedFile(file, String.valueOf(e.getMessage()));
    }
  }

  private static List<Path> children(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}
