package dev.pitcrew.testbed.scenario.play;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pitcrew.testbed.scenario.play.TestCluster.Applied;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Carries out one step of a scenario: applies a manifest, or runs lines of kubectl arguments.
record StepRunner(TestCluster cluster) {
  private static final BigDecimal MILLIS_PER_SECOND = BigDecimal.valueOf(1000);

  Applied run(Path file) throws IOException, InterruptedException {
    return file.toString().endsWith(".yaml") ? cluster.apply(file) : runLines(file);
  }

  /// Lines count from 1 without comments and blank ones; only a rejected line makes a fact.
  private Applied runLines(Path file) throws IOException, InterruptedException {
    var facts = JsonNodeFactory.instance.objectNode();
    var notes = new ArrayList<String>();
    var number = 0;
    for (var words : commands(file)) {
      number++;
      var outcome = runLine(words);
      if (!outcome.isAccepted()) {
        facts.put("line " + number, "rejected");
        notes.add("refused: " + outcome.refusal());
      }
    }
    return new Applied(facts, notes);
  }

  private Kubectl.Outcome runLine(List<String> words) throws InterruptedException {
    if (words.getFirst().equals("sleep")) {
      var millis = new BigDecimal(words.get(1)).multiply(MILLIS_PER_SECOND);
      Thread.sleep(Duration.ofMillis(millis.longValue()));
      return new Kubectl.Outcome(true, "", "");
    }
    return cluster.kubectl().run(words);
  }

  private static List<List<String>> commands(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(ShellWords::of)
        .toList();
  }
}
