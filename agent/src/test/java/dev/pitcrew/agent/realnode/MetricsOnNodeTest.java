package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.node.GpuPod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The metrics of an agent whose kubelet gives GPUs to real pods.
@WithGpuNode
class MetricsOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String SLICE = "nvidia.com/mig-1g.10gb";
  private static final int SLICES = 7;
  private static final String INTERVAL =
      "{\"name\": \"DCGM_EXPORTER_INTERVAL\", \"value\": \"500\"}";
  private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]+)=\"([^\"]*)\"");

  private final GpuNode node;
  private final AgentOnNode agent;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<String, String> pages = new TreeMap<>();

  /// One line of a page.
  private record Series(String name, Map<String, String> labels) {
    String gpu() {
      return labels.getOrDefault("gpu", "");
    }

    /// `namespace/pod/container`; empty where it has none of them.
    String holder() {
      return labels.containsKey("pod")
          ? "%s/%s/%s"
              .formatted(labels.get("namespace"), labels.get("pod"), labels.get("container"))
          : "";
    }
  }

  MetricsOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    agent.deploy("dcgm-exporter", true);
  }

  @AfterEach
  void close() {
    agent.deploy("dcgm-exporter", false);
    agent.close();
    node.offerNothing();
    http.close();
  }

  @Test
  void eachSeriesNamesThePodThatHasTheGpuOrTheInstance() {
    node.gpus().divide(MigResourcesTest.slices(0));
    agent.exporter("{\"enabled\": true, \"env\": [%s]}".formatted(INTERVAL));
    agent.begin("pitcrew-agent");
    node.awaitAllocatable(SLICE, SLICES);
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS - 1);

    try (var whole = node.run(1);
        var slice = node.run(node.pod(SLICE, 1))) {
      String gpu = indexOf(whole);
      awaitSeries(all -> {
        assertThat(of(all, gpu)).isNotEmpty().allMatch(it -> it.holder().equals(holder(whole)));
        List<Series> ofSlice =
            all.stream().filter(it -> it.holder().equals(holder(slice))).toList();
        assertThat(ofSlice).isNotEmpty().allMatch(it -> it.gpu().equals("0"));
        assertThat(ofSlice.stream().map(it -> it.labels().get("GPU_I_ID")).distinct()).hasSize(1);
        assertThat(all)
            .filteredOn(it -> !it.gpu().equals(gpu) && !ofSlice.contains(it))
            .allMatch(it -> it.holder().isEmpty());
      });
      see("whole", whole, gpu, "");
      see("mig", slice, "0", "GPU_I_ID");

      agent.exporter(
          "{\"enabled\": true, \"hpcJobMapping\": {\"enabled\": true}, \"env\": [%s]}"
              .formatted(INTERVAL));
      job(gpu, "4711\n4712\n");
      awaitSeries(all ->
          assertThat(of(all, gpu).stream().map(it -> it.labels().get("hpc_job")).distinct())
              .containsExactlyInAnyOrder("4711", "4712"));
      see("hpc", whole, gpu, "");

      node.gpus().hang(Integer.parseInt(gpu));
      try {
        awaitLine("pitcrew_metrics_gpu_answers", gpu, " 0");
        long start = System.nanoTime();
        String hung = page();
        System.out.printf(
            "a scrape while a GPU hangs: %d ms%n",
            Duration.ofNanos(System.nanoTime() - start).toMillis());
        assertThat(hung).contains("DCGM_FI_DEV_GPU_TEMP{gpu=\"1\"");
      } finally {
        node.gpus().release(Integer.parseInt(gpu));
      }
      awaitLine("pitcrew_metrics_gpu_answers", gpu, " 1");
    }
    awaitSeries(all -> assertThat(all).allMatch(it -> it.holder().isEmpty()));
  }

  @Test
  void podsThatShareAGpu_areNamedSeparatelyWhereConfigured() {
    agent.configure(
        "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}\n");
    agent.exporter("{\"enabled\": true, \"env\": [%s]}".formatted(INTERVAL));
    agent.begin("pitcrew-agent");
    node.awaitAllocatable(GpuNode.GPU, 2 * GpuNode.GPUS);

    // One pod has a share of each GPU, the other the rest: they share all.
    try (var one = node.run(GpuNode.GPUS);
        var other = node.run(GpuNode.GPUS)) {
      awaitSeries(all ->
          assertThat(all)
              .isNotEmpty()
              .allMatch(it -> List.of(holder(one), holder(other)).contains(it.holder())));

      agent.exporter(
          "{\"enabled\": true, \"env\": [%s, {\"name\": \"KUBERNETES_VIRTUAL_GPUS\", \"value\": \"true\"}]}"
              .formatted(INTERVAL));
      awaitSeries(all -> {
        assertThat(all).isNotEmpty().allMatch(it -> it.labels().containsKey("vgpu"));
        assertThat(of(all, "3").stream().map(Series::holder).distinct())
            .containsAnyOf(holder(one), holder(other));
        assertThat(of(all, "3").stream().map(it -> it.labels().get("vgpu")).distinct())
            .containsExactlyInAnyOrder("0", "1");
      });
      see("shared", one, "3", "");
    }
  }

  private static List<Series> of(List<Series> all, String gpu) {
    return all.stream().filter(it -> it.gpu().equals(gpu)).toList();
  }

  private static String holder(GpuPod pod) {
    return "default/%s/probe".formatted(pod.pod().current().getMetadata().getName());
  }

  private String uuid(String gpu) {
    return gpu(gpu).uuid();
  }

  private void awaitLine(String name, String gpu, String end) {
    await()
        .atMost(LIMIT)
        .until(() ->
            page()
                .lines()
                .anyMatch(line ->
                    line.startsWith(name) && line.contains(uuid(gpu)) && line.endsWith(end)));
  }

  /// The series of GPUs and instances, without those about the metrics themselves.
  private void awaitSeries(Consumer<List<Series>> holds) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          List<Series> all =
              page().lines().filter(it -> it.startsWith("DCGM_")).map(this::series).toList();
          assertThat(all).as(agent.lastOutput()).isNotEmpty();
          holds.accept(all);
        });
  }

  private Series series(String line) {
    var labels = new TreeMap<String, String>();
    Matcher label = LABEL.matcher(line);
    while (label.find()) {
      labels.put(label.group(1), label.group(2));
    }
    return new Series(line.substring(0, line.indexOf('{')), labels);
  }

  /// Keeps heads and series of one GPU or instance, without the values, to be compared. What is
  /// made of two samples comes a round later than the rest.
  private void see(String name, GpuPod pod, String gpu, String mark) {
    String holder = pod.pod().current().getMetadata().getName();
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          pages.put(name, seen(holder, gpu, mark));
          assertAsRecorded();
        });
  }

  private String seen(String holder, String gpu, String mark) {
    return page()
        .lines()
        .filter(line ->
            line.startsWith("# TYPE DCGM_")
                || (line.startsWith("DCGM_")
                    && line.contains("{gpu=\"%s\"".formatted(gpu))
                    && line.contains(mark.isEmpty() ? "" : "pod=\"" + holder)))
        .map(line -> line.startsWith("#") ? line : line.substring(0, line.lastIndexOf(' ')))
        .map(line -> line.replaceAll("probe-[a-z0-9]+", "POD"))
        .map(line -> line.replace(uuid(gpu), "UUID").replace(address(gpu), "ADDRESS"))
        .map(line -> line.replace("gpu=\"%s\"".formatted(gpu), "gpu=\"N\""))
        .map(line -> line.replace("device=\"nvidia%s\"".formatted(gpu), "device=\"nvidiaN\""))
        .map(line -> line.replaceAll("vgpu=\"\\d+\"", "vgpu=\"K\""))
        .map(line -> line.replaceAll("GPU_I_ID=\"\\d+\"", "GPU_I_ID=\"N\""))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /// What was seen is left in `target`.
  private void assertAsRecorded() {
    pages.forEach((name, page) -> write(Path.of("target", "metrics-on-node", name + ".txt"), page));
    assertThat(pages).allSatisfy((name, page) -> assertThat(page).isEqualTo(recorded(name)));
  }

  private static String recorded(String name) {
    try {
      return Files.readString(Path.of("src/test/resources/metrics/on-node", name + ".txt"));
    } catch (IOException _) {
      return "nothing";
    }
  }

  private String address(String gpu) {
    return "0000" + gpu(gpu).pciAddress().toUpperCase(Locale.ROOT);
  }

  private SimulatedGpu gpu(String index) {
    return node.gpus().gpus().get(Integer.parseInt(index));
  }

  /// The index of a pod's one GPU.
  private String indexOf(GpuPod pod) {
    return node.gpus().gpus().stream()
        .filter(gpu -> pod.gpus().equals(List.of("/dev/nvidia" + gpu.minor())))
        .map(gpu -> String.valueOf(gpu.index()))
        .findFirst()
        .orElseThrow();
  }

  private void job(String gpu, String ids) {
    write(node.gpus().hostRoot().resolve("var/lib/dcgm-exporter/job-mapping").resolve(gpu), ids);
  }

  private static void write(Path file, String text) {
    try {
      Files.createDirectories(Objects.requireNonNull(file.toAbsolutePath().getParent()));
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Empty where no server listens.
  private String page() {
    var address = URI.create("http://%s:9400/metrics".formatted(node.node().address()));
    try {
      return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
    } catch (IOException _) {
      return "";
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
