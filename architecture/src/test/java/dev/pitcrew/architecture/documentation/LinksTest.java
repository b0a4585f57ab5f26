package dev.pitcrew.architecture.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Each link within the repository leads to a file that is there, and to a heading of it.
class LinksTest {
  private final List<MarkdownPage> pages = MarkdownPage.all();
  private final Map<String, MarkdownPage> byName =
      pages.stream().collect(Collectors.toMap(MarkdownPage::name, Function.identity()));

  @Test
  void relativeLinksLeadSomewhere() {
    assertThat(pages).hasSizeGreaterThan(70);
    assertThat(pages.stream().mapToInt(page -> page.links().size()).sum()).isGreaterThan(300);

    assertThat(pages.stream().flatMap(page -> wrong(page).stream())).isEmpty();
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
