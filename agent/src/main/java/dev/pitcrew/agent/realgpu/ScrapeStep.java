package dev.pitcrew.agent.realgpu;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// As many scrapes of the metrics endpoint as an hour has, in less time.
final class ScrapeStep {
  /// A scrape each 30 s, dcgm-exporter's default interval.
  private static final int SCRAPES = 120;

  private static final int SCRAPES_A_LINE = 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final long LOOK_MS = 100;
  private static final Pattern ADDRESS = Pattern.compile("metrics are served at (\\S+)");
  private static final String NAME = "scrapes";
  private static final String TITLE = "An hour's scrapes of the metrics endpoint";

  private final Programs programs;
  private final Duration time;
  private final Consumer<String> progress;

  /// @param time for all scrapes
  ScrapeStep(Programs programs, Duration time, Consumer<String> progress) {
    this.programs = programs;
    this.time = time;
    this.progress = progress;
  }

  /// @param page the last one
  record Scraped(Section section, MetricsPage page) {}

  Scraped run() throws IOException, InterruptedException {
    var log = programs.folder().resolve("metrics.log");
    var words = new ArrayList<>(List.of("metrics", "--address=127.0.0.1:0"));
    words.addAll(programs.places());
    var process = programs.start(words, log);
    try (var client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build()) {
      var address = address(process, log);
      if (address.isEmpty()) {
        return none("the endpoint did not start: " + Programs.text(log).strip());
      }
      return scrape(process, client, URI.create("http://" + address.get() + "/metrics"));
    } finally {
      int _ = Programs.stop(process, GRACE);
    }
  }

  private static Scraped none(String failure) {
    return new Scraped(Section.failed(NAME, TITLE, failure), MetricsPage.of(""));
  }

  private static Optional<String> address(Process process, Path log)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      var found = ADDRESS.matcher(Files.exists(log) ? Programs.text(log) : "");
      if (found.find()) {
        return Optional.of(found.group(1).replaceFirst("^.*/", ""));
      }
      boolean _ = process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS);
    }
    return Optional.empty();
  }

  private Scraped scrape(Process process, HttpClient client, URI uri)
      throws IOException, InterruptedException {
    var page = firstPage(process, client, uri);
    if (page.isEmpty()) {
      return none("no page had a counter within %d s".formatted(TIMEOUT.toSeconds()));
    }
    var micros = new ArrayList<Long>();
    long before = residentKib(process);
    int failed = 0;
    String last = page.get();
    for (int i = 0; i < SCRAPES; i++) {
      if (i % SCRAPES_A_LINE == 0) {
        progress.accept("scrape %d of %d".formatted(i + 1, SCRAPES));
      }
      boolean _ = process.waitFor(time.toMillis() / SCRAPES, TimeUnit.MILLISECONDS);
      long begin = System.nanoTime();
      var next = page(client, uri);
      micros.add((System.nanoTime() - begin) / 1000);
      failed += next.isPresent() ? 0 : 1;
      last = next.orElse(last);
    }
    micros.sort(null);
    return scraped(micros, failed, List.of(before, residentKib(process)), MetricsPage.of(last));
  }

  private static Scraped scraped(
      List<Long> micros, int failed, List<Long> resident, MetricsPage page) {
    var lines = new ArrayList<String>();
    double half = millis(micros, 50);
    double most = millis(micros, 99);
    lines.add(
        "%d scrapes, %d failed; half took at most %.1f ms, 99 of 100 at most %.1f ms"
            .formatted(micros.size(), failed, half, most));
    lines.add(
        "resident memory: %d KiB before, %d KiB after"
            .formatted(resident.getFirst(), resident.getLast()));
    lines.add("counters of the page, with the number of their series:");
    page.series().forEach((name, count) -> lines.add("  %s %d".formatted(name, count)));
    var facts = new LinkedHashMap<String, Object>();
    facts.put("scrapes", micros.size());
    facts.put("failed", failed);
    facts.put("medianMs", half);
    facts.put("p99Ms", most);
    facts.put("residentKibBefore", resident.getFirst());
    facts.put("residentKibAfter", resident.getLast());
    facts.put("series", page.series());
    var failure = failed == 0 ? "" : "%d scrapes failed".formatted(failed);
    return new Scraped(new Section(NAME, TITLE, failure, lines, facts), page);
  }

  private static double millis(List<Long> sorted, int percent) {
    return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100)) / 1000.0;
  }

  /// The first page is empty until the GPUs are read.
  private static Optional<String> firstPage(Process process, HttpClient client, URI uri)
      throws InterruptedException {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < end && process.isAlive()) {
      var page = page(client, uri).filter(it -> !MetricsPage.of(it).series().isEmpty());
      if (page.isPresent()) {
        return page;
      }
      boolean _ = process.waitFor(LOOK_MS, TimeUnit.MILLISECONDS);
    }
    return Optional.empty();
  }

  private static Optional<String> page(HttpClient client, URI uri) throws InterruptedException {
    try {
      var request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).build();
      var answer = client.send(request, BodyHandlers.ofString());
      return Optional.of(answer.body()).filter(_ -> answer.statusCode() == 200);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// 0 where it is not known.
  private static long residentKib(Process process) throws IOException {
    var status = Path.of("/proc", String.valueOf(process.pid()), "status");
    if (!Files.exists(status)) {
      return 0;
    }
    try (var lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> line.replaceAll("\\D", ""))
          .mapToLong(Long::parseLong)
          .findFirst()
          .orElse(0);
    }
  }
}
