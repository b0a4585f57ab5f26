package dev.pitcrew.cli.diag;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pitcrew.cli.plan.NodeRow;
import java.net.URLEncoder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// `index.html`: the first page of a bundle, for people. It loads nothing and runs no script, and a
/// browser is forbidden both.
final class Page {
  private static final String STYLE =
      """
      :root{color-scheme:light dark;--line:#8885;--soft:#8882;--bad:#b3261e;--dim:#666}
      @media(prefers-color-scheme:dark){:root{--bad:#ff8a80;--dim:#aaa}}
      body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1.5rem;overflow-wrap:break-word}
      h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}p{margin:.4rem 0}
      pre{background:var(--soft);padding:.8rem;border-radius:6px;overflow-x:auto;overflow-wrap:normal}
      table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line)}
      td{overflow-wrap:anywhere}td.k{overflow-wrap:break-word;min-width:8rem}td.n{text-align:right;white-space:nowrap}.bad{color:var(--bad)}.dim{color:var(--dim)}
      details{margin:.3rem 0}summary{cursor:pointer}ul{margin:.3rem 0;padding-left:1.4rem}
      """;

  private static final long KIBI = 1024;

  /// @param title such as the name of the bundle
  /// @param facts shown below the title: when, versions
  /// @param status as `kubectl gpu status` prints it; empty where it could not be read
  /// @param notReady nodes, with why
  record Facts(String title, Map<String, String> facts, String status, List<NodeRow> notReady) {}

  private final StringBuilder html = new StringBuilder();

  private final Redactor redactor;

  private Page(Redactor redactor) {
    this.redactor = redactor;
  }

  static String of(Facts facts, Bundle.Contents contents, Redactor redactor) {
    var page = new Page(redactor);
    page.head(facts);
    page.status(facts);
    page.nodes(facts.notReady(), contents.entries());
    page.missing(contents);
    page.redactions(contents.redactions());
    page.files(contents.entries());
    return page.html.append("</body>\n</html>\n").toString();
  }

  private void head(Facts facts) {
    html.append(
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>%s</title>
        <style>%s</style>
        </head>
        <body>
        <h1>%s</h1>
        <p class="dim">%s</p>
        """
            .formatted(
                digest(STYLE),
                shown(facts.title()),
                STYLE,
                shown(facts.title()),
                facts.facts().entrySet().stream()
                    .map(it -> shown(it.getKey() + " " + it.getValue()))
                    .collect(Collectors.joining(" &middot; "))));
  }

  private void status(Facts facts) {
    html.append("<h2>Status</h2>\n");
    html.append(
        facts.status().isEmpty()
            ? "<p class=\"bad\">The status could not be read.</p>\n"
            : "<pre>" + shown(facts.status()) + "</pre>\n");
  }

  private void nodes(List<NodeRow> rows, List<Bundle.Entry> entries) {
    html.append("<h2>Nodes that are not ready</h2>\n");
    if (rows.isEmpty()) {
      html.append("<p class=\"dim\">None, as far as could be read.</p>\n");
      return;
    }
    html.append("<table>\n<tr><th>Node</th><th>Reason</th><th>Message</th><th>Files</th></tr>\n");
    for (NodeRow row : rows) {
      String folder = "nodes/" + Selection.safe(row.name()) + "/";
      List<String> files =
          entries.stream().map(Bundle.Entry::file).filter(it -> it.startsWith(folder)).toList();
      html.append(
          "<tr><td class=\"k\">%s</td><td class=\"k bad\">%s</td><td>%s</td><td class=\"k\">%s</td></tr>\n"
              .formatted(
                  shown(row.name()),
                  shown(row.reason()),
                  shown(row.message()),
                  files.isEmpty() ? "<span class=\"dim\">not collected</span>" : anchor(folder)));
    }
    html.append("</table>\n");
  }

  private void missing(Bundle.Contents contents) {
    if (!contents.problems().isEmpty()) {
      html.append("<h2 class=\"bad\">Could not be read</h2>\n<table>\n");
      for (Bundle.Problem problem : contents.problems()) {
        html.append(
            "<tr><td>%s</td><td>%s</td></tr>\n"
                .formatted(shown(problem.what()), shown(problem.why())));
      }
      html.append("</table>\n");
    }
    if (!contents.leftOut().isEmpty()) {
      html.append("<h2>Left out</h2>\n<ul>\n");
      contents.leftOut().forEach(it -> html.append("<li>" + shown(it) + "</li>\n"));
      html.append("</ul>\n");
    }
  }

  private void redactions(Redactions redactions) {
    html.append("<h2>Redacted</h2>\n<p>%d values. ".formatted(redactions.total()));
    html.append(
        redactions.byKind().entrySet().stream()
            .map(it -> escaped("%s: %d".formatted(it.getKey().words(), it.getValue())))
            .collect(Collectors.joining(", ")));
    html.append(
        "</p>\n<p class=\"dim\">By file in %s. Read the files before you give them to others: a password without a name beside it looks like any other word.</p>\n"
            .formatted(link("redactions.txt", "redactions.txt")));
  }

  private void files(List<Bundle.Entry> entries) {
    html.append("<h2>Files</h2>\n");
    Map<String, List<Bundle.Entry>> byFolder =
        entries.stream()
            .collect(
                Collectors.groupingBy(it -> folder(it.file()), TreeMap::new, Collectors.toList()));
    byFolder.forEach((folder, files) -> {
      String title = folder.isEmpty() ? "the cluster" : folder;
      // A browser opens what is closed around the place that an address names.
      html.append(
          "<details%s><summary>%s <span class=\"dim\">%d files</span></summary>\n<table id=\"%s\">\n"
              .formatted(
                  folder.isEmpty() ? " open" : "",
                  escaped(title),
                  files.size(),
                  escaped(folder.isEmpty() ? "cluster" : folder)));
      for (Bundle.Entry file : files) {
        html.append(
            "<tr><td>%s</td><td class=\"n dim\">%s</td></tr>\n"
                .formatted(
                    link(file.file(), file.file().substring(folder.length())), size(file.bytes())));
      }
      html.append("</table></details>\n");
    });
  }

  /// Of a node all files are together; the others have an empty name, and are first.
  private static String folder(String file) {
    return file.startsWith("nodes/") && file.indexOf('/', "nodes/".length()) > 0
        ? file.substring(0, file.indexOf('/', "nodes/".length()) + 1)
        : "";
  }

  private static String anchor(String folder) {
    return "<a href=\"#%s\">%s</a>".formatted(escaped(folder), escaped(folder));
  }

  private static String link(String file, String text) {
    String path =
        List.of(file.split("/", -1)).stream()
            .map(it -> URLEncoder.encode(it, UTF_8).replace("+", "%20"))
            .collect(Collectors.joining("/"));
    return "<a href=\"./%s\">%s</a>".formatted(path, escaped(text));
  }

  private static String size(long bytes) {
    return bytes < KIBI
        ? bytes + " B"
        : bytes < KIBI * KIBI
            ? "%d KiB".formatted(bytes / KIBI)
            : "%.1f MiB".formatted((double) bytes / (KIBI * KIBI));
  }

  /// Any text that comes from the cluster or the user.
  private String shown(String text) {
    return escaped(redactor.text(text));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  private static String digest(String text) {
    try {
      return Base64.getEncoder()
          .encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
