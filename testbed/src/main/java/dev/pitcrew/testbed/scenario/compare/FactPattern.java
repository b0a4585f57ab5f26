package dev.pitcrew.testbed.scenario.compare;

import java.util.regex.Pattern;

/// A shell pattern over whole paths of facts: `*` stands for any text, also across segments, `?`
/// for any one character; everything else, `[` included, stands for itself.
public final class FactPattern {
  private final String text;
  private final Pattern pattern;

  private FactPattern(String text, Pattern pattern) {
    this.text = text;
    this.pattern = pattern;
  }

  public static FactPattern of(String text) {
    var expression = new StringBuilder();
    text.codePoints()
        .mapToObj(Character::toString)
        .forEach(character ->
            expression.append(
                switch (character) {
                  case "*" -> ".*";
                  case "?" -> ".";
                  default -> Pattern.quote(character);
                }));
    return new FactPattern(text, Pattern.compile(expression.toString(), Pattern.DOTALL));
  }

  public boolean matches(String path) {
    return pattern.matcher(path).matches();
  }

  @Override
  public String toString() {
    return text;
  }
}
