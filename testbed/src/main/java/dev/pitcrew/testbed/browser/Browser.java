package dev.pitcrew.testbed.browser;

import dev.pitcrew.testbed.FreePorts;
import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A Chromium without a window, with a profile of its own.
public final class Browser implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int ATTEMPTS = 200;

  private static final String AWAIT_TEXT =
      """
      const [text, limit, done] = arguments;
      const end = (found) => { observer.disconnect(); clearTimeout(timer); done(found); };
      const look = () => document.body.innerText.includes(text) && end(true);
      const observer = new MutationObserver(look);
      const timer = setTimeout(() => end(false), limit);
      observer.observe(document, { childList: true, subtree: true, characterData: true });
      look();
      """;

  private static final int OK = 200;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process driver;
  private final Path profile;
  private final String server;
  private final String session;

  private Browser(Process driver, Path profile, int port, Path program) {
    this.driver = driver;
    this.profile = profile;
    server = "http://127.0.0.1:" + port;
    session = "/session/" + begin(program);
  }

  /// Whether this machine has one, with its driver.
  public static boolean isInstalled() {
    return BrowserPrograms.areInstalled();
  }

  /// Starts one, where it [is installed][#isInstalled]; a test has to be one that [NeedsBrowser].
  public static Browser start() {
    try {
      int port = FreePorts.one();
      Path profile = Files.createTempDirectory("browser");
      Process driver =
          new ProcessBuilder(BrowserPrograms.driver().orElseThrow().toString(), "--port=" + port)
              .redirectErrorStream(true)
              .redirectOutput(profile.resolve("driver.log").toFile())
              .start();
      try {
        return new Browser(driver, profile, port, BrowserPrograms.browser().orElseThrow());
      } catch (RuntimeException failed) {
        end(driver);
        throw failed;
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("start chromedriver", failed);
    }
  }

  public void open(String address) {
    var _ = call("POST", session + "/url", Map.of("url", address));
  }

  /// What a script returns, as maps, lists, text, numbers and booleans; null where that is nothing.
  ///
  /// @param script the body of a function, whose arguments are in `arguments`
  public @Nullable Object run(String script, Object... arguments) {
    return call(
        "POST", session + "/execute/sync", Map.of("script", script, "args", List.of(arguments)));
  }

  /// The text of the page as a reader has it.
  public String text() {
    return String.valueOf(run("return document.body.innerText"));
  }

  /// Returns when the page has the text.
  ///
  /// @return whether it came within so many seconds
  public boolean awaitText(String text, int seconds) {
    return Boolean.TRUE.equals(
        call(
            "POST",
            session + "/execute/async",
            Map.of("script", AWAIT_TEXT, "args", List.of(text, seconds * 1000))));
  }

  /// Presses keys, one after the other, where the focus is.
  ///
  /// @param keys characters; those without one have codes of their own, such as `\uE014` for the
  ///   right arrow
  public void press(String... keys) {
    List<Map<String, String>> actions =
        Stream.of(keys)
            .flatMap(it ->
                Stream.of(
                    Map.of("type", "keyDown", "value", it), Map.of("type", "keyUp", "value", it)))
            .toList();
    var _ =
        call(
            "POST",
            session + "/actions",
            Map.of("actions", List.of(Map.of("type", "key", "id", "keys", "actions", actions))));
  }

  /// Pretends that the user prefers dark or light colours.
  public void prefer(String scheme) {
    develop(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /// Makes the page so large, in pixels of CSS.
  public void resize(int width, int height) {
    develop(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /// What the page and the browser have complained about since the last call.
  public List<String> complaints() {
    return call("POST", session + "/se/log", Map.of("type", "browser")) instanceof List<?> lines
        ? lines.stream().map(String::valueOf).toList()
        : List.of();
  }

  /// The visible part of the page as PNG.
  public byte[] screenshot() {
    return Base64.getDecoder()
        .decode(Objects.requireNonNull(call("GET", session + "/screenshot", null)).toString());
  }

  @Override
  public void close() {
    try {
      var _ = call("DELETE", session, null);
    } finally {
      end(driver);
      remove(profile);
    }
  }

  private void develop(String command, Map<String, Object> parameters) {
    var _ =
        call("POST", session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
  }

  private String begin(Path program) {
    Map<String, Object> options =
        Map.of(
            "binary",
            program.toString(),
            "args",
            List.of(
                "--headless",
                "--no-sandbox", // which root cannot have
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--no-proxy-server",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--lang=en-US",
                "--user-data-dir=" + profile.resolve("profile")));
    Object answer =
        call(
            "POST",
            "/session",
            Map.of(
                "capabilities",
                Map.of(
                    "alwaysMatch",
                    Map.of(
                        "browserName",
                        "chrome",
                        "goog:loggingPrefs",
                        Map.of("browser", "ALL"),
                        "goog:chromeOptions",
                        options))));
    return answer instanceof Map<?, ?> started && started.get("sessionId") instanceof String id
        ? id
        : "none";
  }

  private @Nullable Object call(String method, String path, @Nullable Object body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server + path))
            .timeout(LIMIT)
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(Serialization.asJson(body)))
            .build();
    try {
      for (int attempt = 1; ; attempt++) {
        try {
          var answer = client.send(request, BodyHandlers.ofString());
          if (answer.statusCode() != OK) {
            throw new TestbedException("chromedriver %s: %s".formatted(path, answer.body()));
          }
          return Serialization.unmarshal(answer.body(), Map.class).get("value");
        } catch (ConnectException starting) {
          if (attempt == ATTEMPTS || !driver.isAlive()) {
            throw starting;
          }
          Thread.sleep(Duration.ofMillis(50));
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException("chromedriver " + path, failed);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted while a page was driven");
    }
  }

  private static void end(Process driver) {
    driver.descendants().forEach(ProcessHandle::destroyForcibly);
    driver.destroyForcibly();
  }

  private static void remove(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(it -> it.toFile().delete());
    } catch (IOException | UncheckedIOException _) {
      // The browser may still remove files of its own; it is a temporary folder.
    }
  }
}
