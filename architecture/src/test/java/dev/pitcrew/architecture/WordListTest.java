package dev.pitcrew.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Texts for users have the words of this field: `words.txt` lists those that they do not have.
/// Texts for users are the documentation without its code blocks, the chart, the definitions, and
/// the string literals of the programs.
///
/// The names and comments of all sources, of tests too, have them as well: `source-words.txt` lists
/// those that they do not have. `allowed-words.txt` lists the exceptions of both.
class WordListTest {
  private static final Path REPOSITORY = Path.of("").toAbsolutePath().getParent();
  private static final Path RESOURCES = Path.of("src", "test", "resources");

  /// A literal of Java, or what may look like the begin of one: a character, a comment.
  private static final Pattern JAVA =
      Pattern.compile(
          "//[^\n]*|/\\*.*?\\*/|'(?:\\\\.|[^'\\\\])+'"
              + "|\"\"\"(?<block>.*?(?<!\\\\))\"\"\"|\"(?<text>(?:\\\\.|[^\"\\\\\n])*)\"",
          Pattern.DOTALL);

  /// Where a word begins within a name: `newList`, `NEW_LIST`.
  private static final Pattern IN_NAME =
      Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_");

  private record Word(Pattern pattern, String instead) {}

  private record Allowed(String file, String part) {
    boolean allows(Text text) {
      return text.file().equals(file) && text.line().contains(part);
    }
  }

  /// @param file relative to the repository
  private record Text(String file, int number, String line) {}

  @Test
  void textsForUsersHaveNoneOfTheWords() throws IOException {
    assertThat(textsForUsers()).hasSizeGreaterThan(1000);
    assertThat(problems(textsForUsers(), words("words.txt"), allowed())).isEmpty();
  }

  @Test
  void sourcesHaveNoneOfTheirWords() throws IOException {
    assertThat(sources()).hasSizeGreaterThan(100_000);
    assertThat(problems(sources(), words("source-words.txt"), allowed())).isEmpty();
  }

  @Test
  void exceptionsAreNeeded() throws IOException {
    List<Text> texts = new ArrayList<>(textsWith(words("words.txt"), textsForUsers()));
    texts.addAll(textsWith(words("source-words.txt"), sources()));

    assertThat(allowed()).allMatch(it -> texts.stream().anyMatch(it::allows));
  }

  @ParameterizedTest
  @CsvSource({
    "void podIsSeen_withANewList(),void pod Is Seen with A New List()",
    "NEW_LIST = NVMLState,NEW LIST = NVML State",
  })
  void wordsOfNamesAreFound(String line, String words) {
    assertThat(split(line)).isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource({
    "'a = \"text \\\" x\"; // \"comment\"', 'text \\\" x'",
    "'c = ''\"''; d = \"text\"', text",
    "'/* \"a\" */ e(\"b\")', b",
    "'f(\"\"\"\ntwo words\"\"\")', '\ntwo words'",
  })
  void literalsOfJavaAreFound(String source, String literal) {
    assertThat(literals(source)).containsExactly(literal);
  }

  private static List<String> problems(List<Text> texts, List<Word> words, List<Allowed> allowed) {
    return textsWith(words, texts).stream()
        .flatMap(text -> problem(text, words, allowed).stream())
        .toList();
  }

  private static List<Text> textsWith(List<Word> words, List<Text> texts) {
    String any =
        words.stream().map(word -> word.pattern().pattern()).collect(Collectors.joining("|"));
    Pattern pattern = Pattern.compile(any, Pattern.CASE_INSENSITIVE);
    return texts.stream().filter(text -> pattern.matcher(text.line()).find()).toList();
  }

  private static Optional<String> problem(Text text, List<Word> words, List<Allowed> allowed) {
    return first(text, words)
        .filter(_ -> allowed.stream().noneMatch(it -> it.allows(text)))
        .map(word ->
            "%s:%d \"%s\": write %s"
                .formatted(text.file(), text.number(), text.line().strip(), word.instead()));
  }

  private static Optional<Word> first(Text text, List<Word> words) {
    return words.stream().filter(word -> word.pattern().matcher(text.line()).find()).findFirst();
  }

  private static List<Word> words(String file) {
    return rows(file, 2).map(row -> word(row[0], row[1])).toList();
  }

  private static List<Allowed> allowed() {
    return rows("allowed-words.txt", 3).map(row -> new Allowed(row[0], row[1])).toList();
  }

  private static Word word(String expression, String instead) {
    return new Word(
        Pattern.compile("\\b(?:" + expression + ")\\b", Pattern.CASE_INSENSITIVE), instead);
  }

  private static List<Text> sources() throws IOException {
    var texts = new ArrayList<Text>();
    for (Path file : files(WordListTest::isSource)) {
      String name = REPOSITORY.relativize(file).toString();
      int number = 0;
      for (String line : Files.readAllLines(file)) {
        number++;
        texts.add(new Text(name, number, split(line)));
      }
    }
    return texts;
  }

  private static String split(String line) {
    return IN_NAME.matcher(line).replaceAll(" ");
  }

  private static List<Text> textsForUsers() throws IOException {
    var texts = new ArrayList<Text>();
    for (Path file : files(WordListTest::isForUsers)) {
      String name = REPOSITORY.relativize(file).toString();
      String content = Files.readString(file);
      if (name.endsWith(".java")) {
        addLiterals(texts, name, content);
      } else {
        addLines(texts, name, content);
      }
    }
    return texts;
  }

  private static void addLiterals(List<Text> texts, String file, String content) {
    Matcher matcher = JAVA.matcher(content);
    while (matcher.find()) {
      int number = (int) content.substring(0, matcher.start()).lines().count();
      literal(matcher)
          .ifPresent(it -> it.lines().forEach(line -> texts.add(new Text(file, number, line))));
    }
  }

  private static List<String> literals(String source) {
    return JAVA.matcher(source).results().flatMap(it -> literal(it).stream()).toList();
  }

  private static Optional<String> literal(MatchResult result) {
    return Optional.ofNullable(result.group("block"))
        .or(() -> Optional.ofNullable(result.group("text")));
  }

  /// Code blocks and code between back-quotes are the words of programs.
  private static void addLines(List<Text> texts, String file, String content) {
    boolean isMarkdown = file.endsWith(".md");
    boolean isCode = false;
    int number = 0;
    for (String line : content.lines().toList()) {
      number++;
      if (isMarkdown && line.strip().startsWith("```")) {
        isCode = !isCode;
      } else if (!isCode) {
        texts.add(new Text(file, number, isMarkdown ? line.replaceAll("`[^`]*`", "``") : line));
      }
    }
  }

  private static List<Path> files(Predicate<String> isWanted) throws IOException {
    try (Stream<Path> all = Files.walk(REPOSITORY)) {
      return all.filter(file -> isWanted.test(REPOSITORY.relativize(file).toString()))
          .sorted()
          .toList();
    }
  }

  private static boolean isForUsers(String file) {
    return file.matches(
        "docs/[^/]+\\.md|(README|CONTRIBUTING|CHANGELOG)\\.md"
            + "|charts/pitcrew/(values\\.yaml|templates/[^/]+|files/alerts\\.yaml)"
            + "|api/src/main/resources/crds/pitcrew\\.dev_[^/]+\\.yaml"
            + "|[a-z-]+/src/main/java/.+\\.java");
  }

  private static boolean isSource(String file) {
    return file.matches(
        "[a-z-]+/src/(main|test)/java/.+\\.java"
            + "|native/(gate|hook|mps|sim|fakedriver)/.+\\.(c|h|sh)");
  }

  private static Stream<String[]> rows(String file, int columns) {
    try {
      return Files.readAllLines(RESOURCES.resolve(file)).stream()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split("\\s*\\|\\s*(?![^(]*\\))", -1))
          .peek(row -> assertThat(row).as(file).hasSize(columns));
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + file, e);
    }
  }
}
