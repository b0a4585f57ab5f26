package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.config.Flag;
import dev.pitcrew.agent.config.FlagTable;
import dev.pitcrew.agent.config.Program;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An operand's arguments as flags: one dash or two, a value behind `=` or in the next word.
final class FlagWords {
  private static final Pattern FLAG = Pattern.compile("--?(?<name>[^-=][^=]*)(=(?<value>.*))?");

  private final Program program;
  private final Deque<String> words;
  private final Map<String, List<String>> given = new LinkedHashMap<>();
  private final List<SettingError> ignored = new ArrayList<>();
  private final String section;

  private FlagWords(Program program, String section, List<String> words) {
    this.program = program;
    this.section = section;
    this.words = new ArrayDeque<>(words);
  }

  /// @param given values by the flag's spelling without dashes
  /// @param ignored words that no flag of the agent takes
  record Parsed(Map<String, List<String>> given, List<SettingError> ignored) {}

  static Parsed parse(Program program, String section, List<String> words) {
    var flags = new FlagWords(program, section, words);
    while (!flags.words.isEmpty()) {
      flags.take(flags.words.remove());
    }
    return new Parsed(flags.given, flags.ignored);
  }

  private void take(String word) {
    Matcher matcher = FLAG.matcher(word);
    if (!matcher.matches()) {
      ignore(word, "", "it is no flag; remove it");
      return;
    }
    String name = matcher.group("name");
    Optional<String> value = Optional.ofNullable(matcher.group("value"));
    flag(name).ifPresentOrElse(flag -> take(flag, name, value), () -> skip("--" + name, value));
  }

  private void take(Flag flag, String name, Optional<String> written) {
    Optional<String> value =
        written.or(() -> flag.isTruth() ? Optional.of("true") : Optional.ofNullable(words.poll()));
    value.ifPresentOrElse(
        text -> given.computeIfAbsent(name, _ -> new ArrayList<>()).add(text),
        () -> ignore("--" + name, "", "it needs a value"));
    IgnoredSettings.flag(flag, value.orElse(""))
        .ifPresent(remedy -> ignore("--" + name, value.orElse(""), remedy));
  }

  /// An unknown flag takes the word behind it along unless that is a flag itself.
  private void skip(String flag, Optional<String> written) {
    String next = words.isEmpty() ? "-" : words.peek();
    Optional<String> value =
        written.isPresent() || next.startsWith("-") ? written : Optional.of(words.remove());
    ignore(flag, value.orElse(""), "the agent has no such flag; remove it");
  }

  private void ignore(String word, String value, String remedy) {
    ignored.add(SettingError.inPolicy("%s.args[%s]".formatted(section, word), value, remedy));
  }

  private Optional<Flag> flag(String name) {
    return FlagTable.of(program).stream()
        .filter(flag -> flag.spellings().contains(name))
        .findFirst();
  }
}
