package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ObjectNames;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.Collection;

/// Names that users give.
final class Names {
  private Names() {}

  /// Anything else could become another path.
  ///
  /// @throws RefusedException where no object can have the name
  static String require(String kind, String name) {
    if (ObjectNames.isName(name)) {
      return name;
    }
    throw wrong(
        "'%s' is no name of a %s: small letters, digits, - and . only".formatted(name, kind));
  }

  /// @param subject what is not there, in words
  static RefusedException unknown(String subject, String name, Collection<String> known) {
    return wrong(
        "there is no %s. %s"
            .formatted(subject, Suggestions.didYouMean(name, known).orElse(""))
            .stripTrailing());
  }

  static RefusedException wrong(String message) {
    return new RefusedException(new Refusal(Refusal.Kind.WRONG_INPUT, message));
  }
}
