package dev.pitcrew.cli.diag;

import dev.pitcrew.cli.diag.Redactions.Kind;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Replaces the values beside names of secrets in text of any form: YAML, JSON (escaped, too),
/// variables, flags, properties, XML.
final class NamedValues {
  /// In one line of YAML the value goes to the end, blanks included.
  private static final Pattern YAML_LINE = Pattern.compile("[\\s-]*+[\"']?");

  /// Values that say that there is none, or that another program has replaced it.
  private static final Pattern NONE =
      Pattern.compile(
          "(?i)(true|false|yes|no|null|nil|none|<nil>|<none>|<unset>|unset|\\*+|\\{\\}|\\[\\]|<redacted>|redacted|xxxx*|\\$\\{?[A-Za-z_(][\\w)]*\\}?)[,;.]?");

  /// A name that is a value, as of a variable: its own value is named `value`, beside or below it.
  private static final Pattern PAIR =
      Pattern.compile(
          "(?i)\\b(?:name|key)[\\\\\"']{0,8}\\s{0,8}[:=]\\s{0,8}[\\\\\"']{0,8}([\\w.-]{1,100})");

  private static final int LINES_OF_A_PAIR = 3;

  private static final Pattern PART_OR_VALUE =
      Pattern.compile(SecretNames.PART.pattern() + "|value", Pattern.CASE_INSENSITIVE);

  private static final Set<String> SCHEMES =
      Set.of("bearer", "basic", "digest", "token", "negotiate", "apikey");

  private NamedValues() {}

  static String redact(String text, Consumer<Kind> found) {
    var result = new StringBuilder();
    int block = -1;
    int pair = 0;
    for (String line : text.split("\n", -1)) {
      boolean isInBlock = block >= 0 && (line.isBlank() || indentation(line) > block);
      if (isInBlock) {
        if (!line.isBlank()) {
          found.accept(Kind.NAMED_SECRET);
          result.append(Kind.NAMED_SECRET.mark()).append('\n');
        }
        continue;
      }
      block = -1;
      pair = Math.max(0, pair - 1);
      if (pair == 0 && !SecretNames.mayBeIn(line)) {
        result.append(line).append('\n');
        continue;
      }
      pair = namesASecret(line) ? LINES_OF_A_PAIR : pair;
      var scan = new Line(line, pair > 0, found);
      result.append(scan.redacted()).append('\n');
      block = scan.opensBlock ? indentation(line) : -1;
    }
    return result.substring(0, result.length() - 1);
  }

  private static boolean namesASecret(String line) {
    return PAIR.matcher(line).results().anyMatch(it -> SecretNames.isSecret(it.group(1)));
  }

  private static int indentation(String line) {
    return line.length() - line.stripLeading().length();
  }

  /// One line, read from left to right.
  private static final class Line {
    private final String line;
    private final boolean isOfPair;
    private final Consumer<Kind> found;
    private final StringBuilder result = new StringBuilder();
    private int from;

    /// Whether the value is in the lines below.
    private boolean opensBlock;

    /// @param isOfPair whether what is named `value` is a secret, too
    Line(String line, boolean isOfPair, Consumer<Kind> found) {
      this.line = line;
      this.isOfPair = isOfPair;
      this.found = found;
    }

    String redacted() {
      Matcher part = (isOfPair ? PART_OR_VALUE : SecretNames.PART).matcher(line);
      int at = 0;
      while (at < line.length() && part.find(at)) {
        int begin = part.start();
        while (begin > from && isOfName(line.charAt(begin - 1))) {
          begin--;
        }
        int end = part.end();
        while (end < line.length() && isOfName(line.charAt(end))) {
          end++;
        }
        at = Math.max(end, value(begin, end));
      }
      return result.append(line, from, line.length()).toString();
    }

    private static boolean isOfName(char character) {
      return Character.isLetterOrDigit(character)
          || character == '_'
          || character == '-'
          || character == '.';
    }

    /// Replaces the value of the name between these places, if it is a secret.
    ///
    /// @return where to go on
    private int value(int begin, int end) {
      String name = line.substring(begin, end);
      boolean isValue = isOfPair && name.equalsIgnoreCase("value");
      if (!isValue && !SecretNames.isSecret(name)) {
        return end;
      }
      int separator = end;
      while (separator < line.length() && "\\\"'])".indexOf(line.charAt(separator)) >= 0) {
        separator++;
      }
      int blanks = blanks(separator);
      boolean isFlag = name.startsWith("-") && blanks > separator;
      if (begin > 0 && line.charAt(begin - 1) == '<' && at(separator) == '>') {
        return hide(separator + 1, until(separator + 1, "<"));
      }
      if (at(blanks) == ':' || at(blanks) == '=') {
        return assigned(begin, blanks);
      }
      if (line.regionMatches(true, blanks, "%3D", 0, "%3D".length())) {
        return hidden(blanks + "%3D".length(), false);
      }
      return isFlag && !line.startsWith("--", blanks) ? hidden(blanks, false) : end;
    }

    private int assigned(int begin, int separator) {
      int value = separator + 1;
      while (value < line.length() && "=>".indexOf(line.charAt(value)) >= 0) {
        value++;
      }
      boolean isColon = at(separator) == ':';
      value = blanks(value);
      String rest = line.substring(value);
      if (isColon && (rest.isEmpty() || rest.matches("[|>][-+0-9]{0,2}\\s*"))) {
        opensBlock = true;
        return line.length();
      }
      return hidden(value, isColon && YAML_LINE.matcher(line.substring(0, begin)).matches());
    }

    /// @param toTheEnd whether a value without quotes goes to the end of the line
    private int hidden(int value, boolean toTheEnd) {
      if (line.startsWith(Redactions.MARK, value)) {
        return until(value, "]");
      }
      int slashes = value;
      while (at(slashes) == '\\') {
        slashes++;
      }
      char first = at(slashes);
      if (first == '"' || first == '\'') {
        return quoted(value, line.substring(value, slashes + 1));
      }
      if (first == '{') {
        return value + 1;
      }
      if (first == '[') {
        int end = until(value, "]");
        return line.substring(value, end).contains("{") ? value + 1 : hide(value + 1, end);
      }
      return hide(value, toTheEnd ? line.length() : word(value));
    }

    /// @param quote with the backslashes before it, in JSON that is text within JSON
    private int quoted(int value, String quote) {
      int begin = value + quote.length();
      int end = begin;
      while (end < line.length() && !line.startsWith(quote, end)) {
        boolean isEscaped = quote.length() == 1 && line.charAt(end) == '\\';
        end += isEscaped ? 2 : 1;
      }
      opensBlock |= end >= line.length();
      return hide(begin, Math.min(end, line.length()));
    }

    /// Until the next blank, or two words where the first is the scheme of an HTTP header.
    private int word(int value) {
      int end = value;
      while (end < line.length() && !Character.isWhitespace(line.charAt(end)) && !isClosing(end)) {
        end++;
      }
      boolean isScheme = SCHEMES.contains(line.substring(value, end).toLowerCase(Locale.ROOT));
      return isScheme && end < line.length() ? word(blanks(end)) : end;
    }

    private boolean isClosing(int at) {
      return line.charAt(at) == '"' || line.startsWith("\\\"", at);
    }

    private int hide(int begin, int end) {
      String value = line.substring(begin, Math.max(begin, end)).strip();
      boolean isNothing =
          value.isEmpty() || value.startsWith(Redactions.MARK) || NONE.matcher(value).matches();
      if (!isNothing && begin >= from) {
        found.accept(Kind.NAMED_SECRET);
        result.append(line, from, begin).append(Kind.NAMED_SECRET.mark());
        from = end;
      }
      return Math.max(begin, end);
    }

    private int blanks(int at) {
      int end = at;
      while (end < line.length() && Character.isWhitespace(line.charAt(end))) {
        end++;
      }
      return end;
    }

    private int until(int at, String text) {
      int end = line.indexOf(text, at);
      return end < 0 ? line.length() : end;
    }

    /// The end of the line reads as a blank.
    private char at(int index) {
      return index < line.length() ? line.charAt(index) : ' ';
    }
  }
}
