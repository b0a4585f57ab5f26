package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.browser.Browser;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;

/// What a platform engineer asks the cluster by `kubectl gpu`.
record PluginStep(
    Screen screen, ControlPlane controlPlane, LiveCluster cluster, KubectlGpu plugin, String node)
    implements Step<KubectlGpu> {
  private static final String NAMESPACE = "default";
  private static final int SECONDS = 20;

  /// A pod that no node can run, and the cause that `explain` has to name.
  private record Pending(
      String name, String resource, int count, Map<String, String> selector, String cause) {
    Pod pod() {
      return new PodBuilder()
          .withNewMetadata()
          .withName(name)
          .withNamespace(NAMESPACE)
          .endMetadata()
          .withNewSpec()
          .withNodeSelector(selector)
          .withAutomountServiceAccountToken(false)
          .addNewContainer()
          .withName("train")
          .withImage("train")
          .withNewResources()
          .withLimits(Map.of(resource, new Quantity(Integer.toString(count))))
          .endResources()
          .endContainer()
          .endSpec()
          .build();
    }
  }

  private static final List<Pending> PENDING =
      List.of(
          new Pending(
              "train-large",
              "nvidia.com/gpu",
              64,
              Map.of(),
              "it asks for more GPUs than any node has"),
          new Pending(
              "train-mig",
              "nvidia.com/mig-1g.10gb",
              1,
              Map.of(),
              "it asks for a resource that no node has"),
          new Pending(
              "train-elsewhere",
              "nvidia.com/gpu",
              1,
              Map.of("nvidia.com/gpu.product", "NVIDIA-H100-80GB"),
              "its node selector or affinity leaves no node that has enough GPUs"));

  @Override
  public String title() {
    return "kubectl gpu: status, explain, diag, console";
  }

  @Override
  public KubectlGpu play(Checks checks) {
    status(checks);
    PENDING.forEach(it -> explain(it, checks));
    diagnose(checks);
    open(checks);
    return plugin;
  }

  private void status(Checks checks) {
    show("status");
    var json = Serialization.unmarshal(plugin.run("status", "-o", "json").output(), Map.class);
    checks.equal(
        "nodes and GPUs that kubectl gpu status counts",
        "%d with %d"
            .formatted(
                cluster.gpuNodes().size(),
                cluster.gpuNodes().stream().mapToInt(GpuNodeView::gpus).sum()),
        "%s with %s".formatted(total(json, "nodes"), total(json, "gpus")),
        "kubectl get gpunodes has what the agents report.");
  }

  private static Object total(Map<?, ?> status, String of) {
    return status.get(of) instanceof Map<?, ?> numbers
        ? String.valueOf(numbers.get("total"))
        : "none";
  }

  private void explain(Pending pending, Checks checks) {
    screen.blank();
    screen.line(
        "A pod asks for %s: %d%s"
            .formatted(
                pending.resource(),
                pending.count(),
                pending.selector().isEmpty() ? "" : " on nodes with " + pending.selector()));
    var pod = controlPlane.client().resource(pending.pod());
    pod.create();
    try {
      String id = NAMESPACE + "/" + pending.name();
      show("explain", "pod", id);
      var run = plugin.run("explain", "pod", id, "-o", "json");
      checks.equal(
          "what keeps pod %s from running".formatted(id),
          pending.cause(),
          String.valueOf(Serialization.unmarshal(run.output(), Map.class).get("cause")),
          "kubectl describe pod has what the scheduler says of it.");
    } finally {
      pod.delete();
    }
  }

  private void diagnose(Checks checks) {
    screen.blank();
    try {
      var folder = Files.createTempDirectory("gpu-diag");
      var archive = folder.resolve("diag.zip");
      try {
        show("diag", "-f", archive.toString());
        checks.equal(
            "the page of the support bundle names the node",
            true,
            page(archive).contains(node),
            "Run kubectl gpu diag, unpack what it makes, and open index.html.");
      } finally {
        Files.deleteIfExists(archive);
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("collect a support bundle", e);
    }
  }

  private static String page(Path archive) throws IOException {
    if (!Files.exists(archive)) {
      return "";
    }
    try (var zip = new ZipFile(archive.toFile())) {
      var entry =
          zip.stream().filter(it -> it.getName().endsWith("index.html")).findFirst().orElseThrow();
      try (var page = zip.getInputStream(entry)) {
        return new String(page.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }

  private void open(Checks checks) {
    screen.blank();
    screen.line("$ kubectl gpu console");
    String nodes = "%d of %1$d nodes".formatted(cluster.gpuNodes().size());
    try (var console = plugin.console()) {
      screen.line("It serves " + console.address());
      if (Browser.isInstalled()) {
        try (var browser = Browser.start()) {
          browser.open(console.address());
          checks.equal(
              "the page of the console has " + nodes,
              true,
              browser.awaitText(nodes, SECONDS),
              "Open the address that kubectl gpu console prints.");
        }
      } else {
        screen.text("Chromium is not installed here: what the page is made of is read without it.");
        checks.equal(
            "the console knows the node",
            true,
            body(console.address() + "api/v1/fleet").contains('"' + node + '"'),
            "Open the address that kubectl gpu console prints.");
      }
    }
  }

  private static String body(String address) {
    try (var client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException("read " + address, e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  private void show(String... arguments) {
    screen.line("$ kubectl gpu " + String.join(" ", arguments));
    try (var _ = screen.waiting(() -> "kubectl gpu " + arguments[0])) {
      plugin.run(arguments).output().lines().forEach(it -> screen.line("  " + it));
    }
  }
}
