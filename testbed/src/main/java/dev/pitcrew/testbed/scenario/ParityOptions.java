package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.scenario.play.OperatorCommand;
import dev.pitcrew.testbed.scenario.play.ScenarioPlayer.Stage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What a parity run needs to know.
///
/// @param stage the cluster, a running and otherwise empty one
/// @param operator how the operator is started
/// @param quiet how long nothing must change in the cluster before facts are recorded
public record ParityOptions(
    Stage stage,
    OperatorCommand operator,
    Duration quiet,
    Selection selection,
    Rules rules,
    Output output) {

  /// The quiet that suits an operator that watches instead of looking now and then.
  public static final Duration USUAL_QUIET = Duration.ofSeconds(3);

  /// Which scenarios are played.
  ///
  /// @param scenarios the folder of scenario folders
  /// @param only the names of those to play; none means all
  /// @param skipList the file with those never to play, see [SkipList]
  public record Selection(Path scenarios, List<String> only, Optional<Path> skipList) {
    public Selection {
      only = List.copyOf(only);
    }

    /// All scenarios of a folder.
    public static Selection all(Path scenarios) {
      return new Selection(scenarios, List.of(), Optional.empty());
    }
  }

  /// Where the project deliberately differs.
  ///
  /// @param ignore the file with facts left out
  /// @param expected the folder with the project's own expected facts, see [ExpectedFacts]
  /// @param strict whether an ignore line that hides nothing fails the run: right for the scenarios
  ///   that the lines were written for
  public record Rules(Optional<Path> ignore, Optional<Path> expected, boolean strict) {

    /// No deliberate difference.
    public static Rules none() {
      return new Rules(Optional.empty(), Optional.empty(), true);
    }
  }

  /// What is kept and shown.
  ///
  /// @param folder takes the facts and the operator's logs, in a folder for each scenario
  /// @param isVerbose whether every difference is shown, not only the first ones
  public record Output(Path folder, boolean isVerbose) {}
}
