package dev.pitcrew.cli.diag;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.diag.Bundle.Contents;
import dev.pitcrew.cli.diag.Bundle.Entry;
import dev.pitcrew.cli.diag.Bundle.Problem;
import dev.pitcrew.cli.plan.NodeRow;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The page that opens a bundle.
class PageTest {
  private static final String HOSTILE =
      "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\u202e\u001b[31m https://u:hunter2@h/";

  @Test
  void hostileTextIsNeverMarkup() {
    NodeRow row =
        NodeRow.of(
                List.of(Objects.gpuNode("a 1 NotReady=Reason")), Optional.empty(), Optional.empty())
            .getFirst();
    var hostile =
        new NodeRow(HOSTILE, "", 1, "", "", "", false, HOSTILE, HOSTILE, "", "", row.created());

    String page =
        page(
            new Page.Facts(HOSTILE, Map.of(HOSTILE, HOSTILE), HOSTILE, List.of(hostile)),
            new Contents(
                List.of(new Entry("nodes/a/<img src=x>", 1)),
                List.of(new Problem(HOSTILE, HOSTILE)),
                List.of(HOSTILE),
                new Redactions()));

    assertThat(page)
        .contains("&lt;script&gt;alert(1)")
        .doesNotContain("<script", "<img", "hunter2", "\u202e", "\u001b");
    assertThat(tags(page))
        .isSubsetOf(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "h1",
            "h2",
            "p",
            "pre",
            "table",
            "tr",
            "th",
            "td",
            "a",
            "details",
            "summary",
            "span",
            "ul",
            "li",
            "!DOCTYPE");
    assertThat(page.replaceAll("<[^<>\"]*(\"[^\"]*\"[^<>\"]*)*>", ""))
        .doesNotContain("<", ">", "\"");
  }

  @Test
  void browserIsForbiddenEverythingButTheStyle() throws NoSuchAlgorithmException {
    String page =
        page(
            new Page.Facts("t", Map.of(), "s", List.of()),
            new Contents(List.of(), List.of(), List.of(), new Redactions()));

    assertThat(page).contains("default-src 'none'").doesNotContain("http://", "https://", "src=");
    Matcher style = Pattern.compile("(?s)<style>(.*?)</style>").matcher(page);
    assertThat(style.find()).isTrue();
    assertThat(page).contains("'sha256-%s'".formatted(digest(style.group(1))));
  }

  @Test
  void nodesThatAreNotReadyLinkToTheirFiles() {
    List<NodeRow> rows =
        NodeRow.of(
            List.of(Objects.gpuNode("a 1 NotReady=X"), Objects.gpuNode("b 1 NotReady=X")),
            Optional.empty(),
            Optional.empty());

    String page =
        page(
            new Page.Facts("t", Map.of(), "s", rows),
            new Contents(
                List.of(new Entry("nodes/a/node.yaml", 2048)),
                List.of(),
                List.of(),
                new Redactions()));

    assertThat(page)
        .contains(
            "<a href=\"#nodes/a/\">", "id=\"nodes/a/\"", "href=\"./nodes/a/node.yaml\"", "2 KiB")
        .contains("not collected");
  }

  private static Stream<String> tags(String page) {
    return Pattern.compile("</?([!A-Za-z0-9]+)").matcher(page).results().map(it -> it.group(1));
  }

  private static String page(Page.Facts facts, Contents contents) {
    return Page.of(facts, contents, new Redactor());
  }

  private static String digest(String text) throws NoSuchAlgorithmException {
    return Base64.getEncoder()
        .encodeToString(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
