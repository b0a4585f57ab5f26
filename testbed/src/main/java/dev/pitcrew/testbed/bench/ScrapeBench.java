package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.demo.InstalledCluster;
import io.fabric8.kubernetes.api.model.Pod;
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
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// How long a scrape of the GPU metrics takes where every GPU is divided into its smallest
/// instances, and what ten thousand scrapes leave behind in an agent with all functions.
record ScrapeBench(AgentUnderTest agent) {
  private static final int SLICES = 7;
  private static final int FIRST = 1_000;
  private static final int ALL = 10_000;
  private static final int WARM_UP = 100;
  private static final Duration QUIET_FOR = Duration.ofSeconds(30);

  /// The generations of the serial collector.
  private static final Pattern HEAP =
      Pattern.compile("(?m)^\\s*(?:DefNew|Tenured) .*?used (\\d+)K");

  private static final String SLICE = "nvidia.com/mig-1g.10gb";
  private static final List<String> ALL_FUNCTIONS =
      List.of(
          "labels",
          "devicePlugin",
          "cdi",
          "runtime",
          "mps",
          "validation",
          "nodeStatus",
          "mig",
          "metrics",
          "health");
  private static final String POLICY =
      """
      {"spec": {"mig": {"strategy": "mixed"}, "dcgmExporter": {"enabled": true, "env": [
        {"name": "DCGM_EXPORTER_INTERVAL", "value": "1000"}]}}}
      """;
  private static final Map<String, String> LABELS =
      Map.of(
          "nvidia.com/gpu.deploy.dcgm-exporter", "true",
          "nvidia.com/gpu.deploy.mig-manager", "true",
          "nvidia.com/gpu.deploy.operator-validator", "true",
          "nvidia.com/gpu.deploy.container-toolkit", "true",
          "nvidia.com/mig.config", "all-1g.10gb");

  /// What the process holds.
  ///
  /// @param heapMib of live objects, right after a collection
  record Held(double heapMib, double anonymousMib) {}

  /// @param samples on one page
  /// @param bytes of one page
  /// @param cpuPercent of one processor while GPUs are sampled once a second and no client scrapes
  /// @param memory after all scrapes
  record Scrapes(
      int samples,
      int bytes,
      Latencies first,
      Latencies all,
      Held afterFirst,
      Held afterAll,
      double cpuPercent,
      PodMemory memory) {
    @Override
    public String toString() {
      return "%d samples, %d bytes; p50 %s, p99 %s of %d; p50 %s, p99 %s of %d; %s, then %s; %.2f %% of a CPU; %s"
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
              cpuPercent,
              memory);
    }
  }

  Scrapes run() {
    divide();
    try (var http = HttpClient.newHttpClient()) {
      Await.orFail(
          AgentUnderTest.LIMIT,
          () -> "the metrics do not show all instances: " + state(http),
          () -> instances(page(http)) == SLICES * InstalledCluster.GPUS);
      double cpu = cpuPercent();
      IntStream.range(0, WARM_UP).forEach(_ -> page(http));
      held();
      var pod = pod();
      List<Duration> taken = new ArrayList<>(scrapes(http, pod, FIRST));
      var first = new Latencies(taken);
      var afterFirst = held();
      taken.addAll(scrapes(http, pod, ALL - FIRST));
      String page = page(http);
      return new Scrapes(
          Math.toIntExact(page.lines().filter(line -> !line.startsWith("#")).count()),
          page.getBytes(StandardCharsets.UTF_8).length,
          first,
          new Latencies(taken),
          afterFirst,
          held(),
          cpu,
          PodMemory.of(agent.processes(agent.cluster().server())));
    }
  }

  private void divide() {
    agent.provide(ALL_FUNCTIONS);
    agent.editPolicy(POLICY);
    agent.label(LABELS);
    Await.orFail(
        AgentUnderTest.LIMIT,
        () -> "the GPUs are not divided, of %s there are %s".formatted(SLICE, slices()),
        () -> slices().equals(String.valueOf(SLICES * InstalledCluster.GPUS)));
  }

  private String slices() {
    return agent.allocatable(SLICE);
  }

  /// What went on where it takes too long.
  private String state(HttpClient http) {
    String page = page(http);
    return "%d bytes, %d instances, containers %s; %s"
        .formatted(
            page.length(),
            instances(page),
            pod().getStatus().getContainerStatuses(),
            page.lines().filter(line -> line.startsWith("pitcrew_metrics")).toList());
  }

  /// The pod of this moment: more functions may mean another pod.
  private Pod pod() {
    return agent.pod(agent.cluster().server()).orElseThrow();
  }

  private String page(HttpClient http) {
    return page(http, pod());
  }

  private List<Duration> scrapes(HttpClient http, Pod pod, int count) {
    return IntStream.range(0, count).mapToObj(_ -> scrape(http, pod)).toList();
  }

  private Duration scrape(HttpClient http, Pod pod) {
    long start = System.nanoTime();
    if (page(http, pod).isEmpty()) {
      throw new TestbedException("the agent does not answer any more: " + state(http));
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /// Empty if the agent does not answer.
  private static String page(HttpClient http, Pod pod) {
    var address = URI.create("http://%s:9400/metrics".formatted(pod.getStatus().getPodIP()));
    var request = HttpRequest.newBuilder(address).build();
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
}
