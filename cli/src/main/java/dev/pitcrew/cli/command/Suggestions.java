package dev.pitcrew.cli.command;

import dev.pitcrew.core.requests.NearestNames;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// What a user may have meant.
final class Suggestions {
  private Suggestions() {}

  static Optional<String> of(ParameterException wrong) {
    return wrong instanceof UnmatchedArgumentException unmatched
            && !unmatched.getUnmatched().isEmpty()
        ? didYouMean(unmatched.getUnmatched().getFirst(), known(wrong))
        : Optional.empty();
  }

  /// Such as `Did you mean gpu-1 or gpu-2?`.
  static Optional<String> didYouMean(String name, Collection<String> known) {
    List<String> nearest = NearestNames.of(name, known);
    return nearest.isEmpty()
        ? Optional.empty()
        : Optional.of("Did you mean %s?".formatted(String.join(" or ", nearest)));
  }

  private static List<String> known(ParameterException wrong) {
    var spec = wrong.getCommandLine().getCommandSpec();
    return Stream.concat(spec.subcommands().keySet().stream(), spec.optionsMap().keySet().stream())
        .toList();
  }
}
