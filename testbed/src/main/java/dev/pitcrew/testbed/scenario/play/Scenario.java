package dev.pitcrew.testbed.scenario.play;

import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One situation, kept as a folder.
///
/// | file | content |
/// | --- | --- |
/// | `about` | one line: what is special |
/// | `extra.yaml` | what the user creates beside the custom resources |
/// | `nodes.yaml` | the nodes |
/// | `cr.yaml` | the custom resources |
/// | `steps/NN-*.yaml` | applied after the first recording, in order |
/// | `steps/NN-*.kubectl` | the same as lines of kubectl arguments, or `sleep SECONDS` |
/// | `timing.json` | how long to wait, see [Timing] |
/// | `golden.json`, `golden-NN.json` | the facts at the start and after step NN |
/// | `templates.json` | the pod templates at the start, with the order of their lists |
public record Scenario(Path folder, String about, Timing timing, List<Step> steps) {

  /// The file with the facts expected before any step.
  public static final String FIRST_GOLDEN = "golden.json";

  /// The file with the pod templates expected before any step.
  public static final String TEMPLATES = "templates.json";

  /// A change after the first recording.
  ///
  /// @param number the two digits that order it
  public record Step(String number, Path file) {

    /// The file with the facts expected after the step.
    public String golden() {
      return "golden-" + number + ".json";
    }

    static Step of(Path file) {
      return new Step(file.getFileName().toString().split("-", 2)[0], file);
    }
  }

  /// Reads a scenario's folder.
  ///
  /// @throws RefusedFile where a recording has no expected facts, or expected facts no recording
  public static Scenario read(Path folder) throws IOException {
    var about = Files.readString(folder.resolve("about")).strip();
    var steps = files(folder.resolve("steps")).map(Step::of).toList();
    var timing = Timing.read(folder.resolve("timing.json"));
    var scenario = new Scenario(folder, about, timing, steps);
    scenario.requireAllGoldens();
    return scenario;
  }

  /// The scenarios in a folder of scenarios, sorted by name.
  public static List<Scenario> readAll(Path folder) throws IOException {
    var scenarios = new ArrayList<Scenario>();
    for (var inner : files(folder).toList()) {
      if (Files.exists(inner.resolve("about"))) {
        scenarios.add(read(inner));
      }
    }
    return scenarios;
  }

  public String name() {
    return folder.getFileName().toString();
  }

  /// A file of the scenario, where it has it.
  public Optional<Path> file(String name) {
    return Optional.of(folder.resolve(name)).filter(Files::exists);
  }

  /// The files with expected facts, one for each recording, in order.
  public List<String> goldens() {
    return Stream.concat(Stream.of(FIRST_GOLDEN), steps.stream().map(Step::golden)).toList();
  }

  private void requireAllGoldens() throws IOException {
    var wanted = Set.copyOf(goldens());
    var found =
        files(folder)
            .map(file -> file.getFileName().toString())
            .filter(name -> name.startsWith("golden"))
            .collect(Collectors.toSet());
    if (!found.equals(wanted)) {
      throw new RefusedFile(
          folder, "needs the expected facts " + wanted + " for its steps, but has " + found);
    }
  }

  private static Stream<Path> files(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return Stream.empty();
    }
    try (var files = Files.list(folder)) {
      return files.sorted().toList().stream();
    }
  }
}
