package dev.pitcrew.architecture.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Each link within the repository leads to a file that is there, and to a heading of it; each test
/// that a page names is there.
class LinksTest {
  private static final Pattern TEST = Pattern.compile("[A-Z]\\w+Test");

  private final List<MarkdownPage> pages = MarkdownPage.all();
  private final Map<String, MarkdownPage> byName =
      pages.stream().collect(Collectors.toMap(MarkdownPage::name, Function.identity()));

  @Test
  void relativeLinksLeadSomewhere() {
    assertThat(pages).hasSizeGreaterThan(70);
    assertThat(pages.stream().mapToInt(page -> page.links().size()).sum()).isGreaterThan(300);

    assertThat(pages.stream().flatMap(page -> wrong(page).stream())).isEmpty();
  }

  @Test
  void testsThatPagesNameAreThere() throws IOException {
    List<String> named =
        pages.stream()
            .filter(page -> page.name().startsWith("docs/") || !page.name().contains("/"))
            .filter(page -> !page.name().equals("CHANGELOG.md"))
            .flatMap(page -> page.inlineCode().stream())
            .map(MarkdownPage.Found::text)
            .filter(text -> TEST.matcher(text).matches())
            .distinct()
            .toList();

    Set<String> tests = tests();
    assertThat(named).hasSizeGreaterThan(30);
    assertThat(named).filteredOn(test -> !tests.contains(test)).isEmpty();
  }

  private static Set<String> tests() throws IOException {
    var tests = new HashSet<String>();
    for (Path module : modules()) {
      try (Stream<Path> files = Files.walk(module)) {
        files
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith("Test.java"))
            .forEach(name -> tests.add(name.replace(".java", "")));
      }
    }
    return tests;
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> folders = Files.list(MarkdownPage.REPOSITORY)) {
      return folders
          .map(folder -> folder.resolve("src/test/java"))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  private List<String> wrong(MarkdownPage page) {
    return page.links().stream()
        .filter(link -> !link.text().matches("[a-z]+:.*"))
        .flatMap(link ->
            problem(page, link.text())
                .map(it -> "%s:%d %s: %s".formatted(page.name(), link.line(), link.text(), it))
                .stream())
        .toList();
  }

  private Optional<String> problem(MarkdownPage page, String link) {
    String[] parts = link.split("#", 2);
    Path target =
        parts[0].isEmpty()
            ? Path.of(page.name())
            : Path.of(page.name()).resolveSibling(parts[0]).normalize();
    if (!Files.exists(MarkdownPage.REPOSITORY.resolve(target))) {
      return Optional.of("no such file");
    }
    if (parts.length == 1 || !byName.containsKey(target.toString())) {
      return Optional.empty();
    }
    return byName.get(target.toString()).anchors().contains(parts[1])
        ? Optional.empty()
        : Optional.of("no such heading");
  }
}
