package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.demo.InstalledCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// How long a scrape of the GPU metrics takes where every GPU is divided into its smallest
/// instances, and what ten thousand scrapes leave behind.
record ScrapeBench(AgentUnderTest agent) {
  private static final int SLICES = 7;
  private static final int FIRST = 1_000;
  private static final int ALL = 10_000;
  private static final int WARM_UP = 100;
  private static final Duration QUIET_FOR = Duration.ofSeconds(30);
  private static final Pattern HEAP = Pattern.compile("(?:heap|generation)\\s.*?used (\\d+)K");
  private static final String POLICY =
      """
      {"spec": {"mig": {"strategy": "mixed"}, "dcgmExporter": {"enabled": true, "env": [
        {"name": "DCGM_EXPORTER_INTERVAL", "value": "1000"}]}}}
      """;

  /// What the process holds.
  ///
  /// @param heapMib of live objects, right after a collection
  record Held(double heapMib, double anonymousMib) {}

  /// @param samples on one page
  /// @param bytes of one page
  /// @param cpuPercent of one processor while GPUs are sampled once a second and nobody scrapes
  record Scrapes(
      int samples,
      int bytes,
      Latencies first,
      Latencies all,
      Held afterFirst,
      Held afterAll,
      double cpuPercent) {
    @Override
    public String toString() {
      return "%d samples, %d bytes; p50 %s, p99 %s of %d; p50 %s, p99 %s of %d; %s, then %s; %.2f %% of a CPU"
          .formatted(
              samples,
              bytes,
              first.percentile(50),
              first.percentile(99),
              first.trials(),
              all.percentile(50),
              all.percentile(99),
              all.trials(),
              afterFirst,
              afterAll,
              cpuPercent);
    }
  }

  Scrapes run() {
    agent.cluster().gpus().divide(layout());
    agent.provide("metrics");
    agent.deploy("dcgm-exporter");
    agent.editPolicy(POLICY);
    var pod = agent.pod(agent.cluster().server()).orElseThrow();
    var address = URI.create("http://%s:9400/metrics".formatted(pod.getStatus().getPodIP()));
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(address).build();
      Await.orFail(
          AgentUnderTest.LIMIT,
          "the metrics do not show all instances",
          () -> instances(page(http, request)) == SLICES * InstalledCluster.GPUS);
      double cpu = cpuPercent();
      IntStream.range(0, WARM_UP).forEach(_ -> page(http, request));
      List<Duration> taken = new ArrayList<>(scrapes(http, request, FIRST));
      var first = new Latencies(taken);
      var afterFirst = held();
      taken.addAll(scrapes(http, request, ALL - FIRST));
      String page = page(http, request);
      return new Scrapes(
          Math.toIntExact(page.lines().filter(line -> !line.startsWith("#")).count()),
          page.getBytes(StandardCharsets.UTF_8).length,
          first,
          new Latencies(taken),
          afterFirst,
          held(),
          cpu);
    }
  }

  private static List<Duration> scrapes(HttpClient http, HttpRequest request, int count) {
    return IntStream.range(0, count)
        .mapToObj(_ -> {
          long start = System.nanoTime();
          page(http, request);
          return Duration.ofNanos(System.nanoTime() - start);
        })
        .toList();
  }

  /// Empty where nobody answers.
  private static String page(HttpClient http, HttpRequest request) {
    try {
      return http.send(request, BodyHandlers.ofString()).body();
    } catch (IOException _) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("a scrape was interrupted", e);
    }
  }

  private static long instances(String page) {
    return page.lines().filter(line -> line.startsWith("DCGM_FI_DEV_FB_USED{")).count();
  }

  private double cpuPercent() {
    Duration before = ProcessFigures.of(process()).cpu();
    Await.pause(QUIET_FOR);
    Duration spent = ProcessFigures.of(process()).cpu().minus(before);
    return 100.0 * spent.toMillis() / QUIET_FOR.toMillis();
  }

  private Held held() {
    command("GC.run");
    double heap =
        HEAP.matcher(command("GC.heap_info"))
            .results()
            .mapToLong(found -> Long.parseLong(found.group(1)))
            .sum();
    var memory = PodMemory.of(agent.processes(agent.cluster().server()));
    return new Held(heap / 1024, memory.agent().orElseThrow().anonymousMib());
  }

  private String command(String name) {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      var running =
          new ProcessBuilder(jcmd, String.valueOf(process()), name)
              .redirectErrorStream(true)
              .start();
      return new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new TestbedException(jcmd + " does not run", e);
    }
  }

  private long process() {
    return agent.processes(agent.cluster().server()).agent().orElseThrow().id();
  }

  /// Every GPU with an instance on each slice.
  private static String layout() {
    return IntStream.range(0, InstalledCluster.GPUS)
        .mapToObj(gpu ->
            "mode %d 1 1\n".formatted(gpu)
                + IntStream.range(0, SLICES)
                    .mapToObj(slice ->
                        "gi %1$d %2$d 0 %3$d 1\nci %1$d %2$d 0 0 0 1\n"
                            .formatted(gpu, slice + 1, slice))
                    .collect(Collectors.joining()))
        .collect(Collectors.joining());
  }
}
