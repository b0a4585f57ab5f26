package dev.pitcrew.cli.diag;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pitcrew.cli.print.Documents;
import dev.pitcrew.cli.transport.Excerpt;
import dev.pitcrew.cli.transport.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/// The files of a bundle, and what is known about them: how large they are, what was replaced in
/// them, what is missing. Used by one thread.
final class Bundle {
  /// A file whose secrets are replaced. There is no other way to make one.
  static final class Piece {
    private final String file;
    private final String text;
    private final Map<Redactions.Kind, Integer> replaced;

    private Piece(String file, String text, Map<Redactions.Kind, Integer> replaced) {
      this.file = file;
      this.text = text;
      this.replaced = replaced;
    }

    static Piece text(String file, String text) {
      return of(file, it -> it.text(text));
    }

    /// The end of a longer text, with how much is missing.
    static Piece excerpt(String file, Excerpt excerpt) {
      String head =
          excerpt.leftOut() == 0
              ? ""
              : "[%d bytes before this are left out]%n".formatted(excerpt.leftOut());
      return text(file, head + excerpt.text());
    }

    /// Objects as YAML documents.
    static Piece objects(String file, String apiVersion, String kind, List<Json> objects) {
      return of(
          file,
          redactor -> {
            var text = new StringBuilder();
            for (Json object : objects) {
              // The items of a list do not say what they are.
              var document = new LinkedHashMap<String, Object>();
              document.put("apiVersion", apiVersion);
              document.put("kind", kind);
              document.putAll(redactor.object(object));
              text.append("---\n").append(Documents.yaml(document));
            }
            return text.isEmpty() ? "# There is none.\n" : text.toString();
          });
    }

    private static Piece of(String file, Function<Redactor, String> text) {
      var redactor = new Redactor();
      String redacted = text.apply(redactor);
      return new Piece(file, redacted, redactor.counts());
    }
  }

  /// @param bytes before they are compressed
  record Entry(String file, long bytes) {}

  /// What could not be read, and why.
  record Problem(String what, String why) {}

  private final Archive archive;
  private final long most;
  private final Redactions redactions = new Redactions();
  private final List<Entry> entries = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();
  private long size;
  private int tooMany;

  /// @param most bytes of all files, before they are compressed
  Bundle(Archive archive, long most) {
    this.archive = archive;
    this.most = most;
  }

  /// Writes a file, unless the bundle would be too large by it.
  void add(Piece piece) throws IOException {
    long bytes = piece.text.getBytes(UTF_8).length;
    if (size + bytes > most) {
      tooMany++;
      return;
    }
    write(piece, bytes);
  }

  void problem(String what, String why) {
    problems.add(new Problem(what, why));
  }

  void leftOut(String what) {
    leftOut.add(what);
  }

  /// Writes the files about the others, which always fit.
  ///
  /// @param page of what is in the bundle, `index.html`
  void complete(BiFunction<Contents, Redactor, String> page) throws IOException {
    if (tooMany > 0) {
      leftOut.add(
          "%d files that do not fit into %d MiB: --max-size allows more, --node asks for less"
              .formatted(tooMany, most >> 20));
    }
    always(Piece.text("errors.txt", errors()));
    // The page has a digest that looks like a key, so its texts are redacted one by one.
    Piece index = Piece.of("index.html", it -> page.apply(contents(), it));
    redactions.add(index.file, index.replaced);
    always(new Piece("redactions.txt", redactions.list(), Map.of()));
    always(index);
    archive.complete();
  }

  /// What a reader has to know of a bundle.
  ///
  /// @param leftOut in words
  record Contents(
      List<Entry> entries, List<Problem> problems, List<String> leftOut, Redactions redactions) {}

  Contents contents() {
    return new Contents(
        List.copyOf(entries), List.copyOf(problems), List.copyOf(leftOut), redactions);
  }

  private void always(Piece piece) throws IOException {
    write(piece, piece.text.getBytes(UTF_8).length);
  }

  private void write(Piece piece, long bytes) throws IOException {
    archive.add(piece.file, piece.text);
    size += bytes;
    entries.add(new Entry(piece.file, bytes));
    redactions.add(piece.file, piece.replaced);
  }

  private String errors() {
    var text = new StringBuilder();
    text.append(problems.isEmpty() ? "Everything could be read.\n" : "Could not be read:\n");
    problems.forEach(it -> text.append("\n%s%n  %s%n".formatted(it.what(), it.why())));
    if (!leftOut.isEmpty()) {
      text.append("\nLeft out:\n\n");
      leftOut.forEach(it -> text.append(it).append('\n'));
    }
    return text.toString();
  }
}
