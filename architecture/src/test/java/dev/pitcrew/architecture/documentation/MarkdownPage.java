package dev.pitcrew.architecture.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A page of the documentation.
///
/// @param name its path below the repository
record MarkdownPage(String name, List<String> lines) {
  static final Path REPOSITORY = Path.of("").toAbsolutePath().getParent();

  private static final Pattern PAGES =
      Pattern.compile(
          "[A-Z_]+\\.md|(docs|design)/[^/]+\\.md|([a-z-]+|charts/pitcrew|native/[a-z]+)/README\\.md");
  private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final String FENCE = "```";

  MarkdownPage {
    lines = List.copyOf(lines);
  }

  /// A block of code between fences, without their indentation.
  ///
  /// @param line of its first line, from 1 on
  record Block(int line, String language, List<String> lines) {
    Block {
      lines = List.copyOf(lines);
    }

    String text() {
      return String.join("\n", lines) + "\n";
    }
  }

  /// Something in the text, outside of blocks of code.
  record Found(int line, String text) {}

  static List<MarkdownPage> all() {
    try (Stream<Path> files = Files.walk(REPOSITORY, 3)) {
      return files
          .filter(file -> PAGES.matcher(REPOSITORY.relativize(file).toString()).matches())
          .sorted()
          .map(MarkdownPage::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("looking for pages", e);
    }
  }

  private static MarkdownPage read(Path file) {
    try {
      return new MarkdownPage(REPOSITORY.relativize(file).toString(), Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + file, e);
    }
  }

  List<Block> blocks() {
    var blocks = new ArrayList<Block>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.strip().startsWith(FENCE)) {
        int indent = line.indexOf(FENCE);
        var body = new ArrayList<String>();
        int first = i + 2;
        for (i++; i < lines.size() && !lines.get(i).strip().equals(FENCE); i++) {
          String next = lines.get(i);
          body.add(next.substring(Math.min(indent, next.length())));
        }
        blocks.add(new Block(first, line.strip().substring(FENCE.length()), body));
      }
    }
    return blocks;
  }

  /// The lines that are no code.
  private List<Found> prose() {
    var prose = new ArrayList<Found>();
    boolean isCode = false;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).strip().startsWith(FENCE)) {
        isCode = !isCode;
      } else if (!isCode) {
        prose.add(new Found(i + 1, lines.get(i)));
      }
    }
    return prose;
  }

  /// Targets of links.
  List<Found> links() {
    return matches(LINK);
  }

  /// What stands between back-quotes.
  List<Found> inlineCode() {
    return matches(CODE);
  }

  private List<Found> matches(Pattern pattern) {
    return prose().stream()
        .flatMap(found ->
            pattern
                .matcher(found.text())
                .results()
                .map(match -> new Found(found.line(), match.group(1))))
        .toList();
  }

  /// The names by which links reach headings, as GitHub makes them.
  Set<String> anchors() {
    var anchors = new HashSet<String>();
    var counts = new HashMap<String, Integer>();
    for (Found found : prose()) {
      var heading = HEADING.matcher(found.text());
      if (heading.matches()) {
        String anchor = anchor(heading.group(1));
        int before = counts.merge(anchor, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? anchor : anchor + "-" + before);
      }
    }
    return anchors;
  }

  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
        .replace(' ', '-');
  }
}
