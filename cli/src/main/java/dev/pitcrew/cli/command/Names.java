package dev.pitcrew.cli.command;

import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.Collection;
import java.util.regex.Pattern;

/// Names that users give.
final class Names {
  /// As the API server wants them (RFC 1123); anything else could become another path.
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private Names() {}

  /// @throws RefusedException where no object can have the name
  static String require(String kind, String name) {
    if (NAME.matcher(name).matches()) {
      return name;
    }
    throw wrong(
        "'%s' is no name of a %s: small letters, digits, - and . only".formatted(name, kind));
  }

  /// @throws RefusedException with the nearest names, where it is none of those known
  static void requireKnown(String kind, String name, Collection<String> known) {
    if (!known.contains(name)) {
      throw unknown(kind + " " + name, name, known);
    }
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
