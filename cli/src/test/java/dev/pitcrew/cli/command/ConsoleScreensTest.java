// Test budget 240 s: a browser starts for each state of a cluster, once with 5,000 nodes.
package dev.pitcrew.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.browser.Browser;
import dev.pitcrew.testbed.browser.NeedsBrowser;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The screens of `kubectl gpu console` in a real browser.
@WithControlPlane
@NeedsBrowser
class ConsoleScreensTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final List<String> SCREENS =
      List.of("", "pods", "rollout", "hardware", "policy", "node/gpu-2");
  private static final String MARKUP = "<img src=x onerror='window.pwned=1'><b>bold</b>";
  private static final String RIGHT = "\uE014";
  private static final String ENTER = "\uE007";

  private final ControlPlane plane;
  private final PluginCluster cluster;
  private final Browser browser = Browser.start();

  @TempDir Path folder = Path.of("");

  ConsoleScreensTest(ControlPlane plane) {
    this.plane = plane;
    cluster = new PluginCluster(plane);
  }

  @BeforeEach
  void define() {
    ConsoleObjects.define(cluster);
  }

  @AfterEach
  void end() {
    browser.close();
    // No kubelet ends them.
    plane.client().pods().inNamespace("default").withGracePeriod(0).delete();
  }

  @Test
  void clusterWithoutNodes() {
    try (var console = console()) {
      see(console, "", "No node has a GPU yet", "there is no ClusterPolicy, so nothing is managed");
      see(console, "pods", "No pod waits for a GPU");
      see(console, "rollout", "No roll-out is under way");
      see(console, "hardware", "No GPU is known to be unhealthy");
      see(console, "policy", "there is no ClusterPolicy, so nothing is managed");
      see(console, "node/gpu-2", "There is no such node with GPUs");
      see(console, "node/gpu-%", "There is no such node with GPUs");
      assertNoComplaint();
    }
  }

  @Test
  void threeNodes() throws IOException {
    ConsoleObjects.create(cluster, "the GPU has fallen off the bus");
    try (var console = console()) {
      see(console, "", "1 node not ready: GpuUnhealthy", "kubectl drain gpu-2", "3 of 3 nodes");
      assertThat(browser.text()).containsPattern("Nodes not ready\\s+1 of 3");
      save("fleet");
      see(console, "?show=notready", "1 of 3 nodes");
      see(console, "?q=gpu-3+drain", "1 of 3 nodes");
      see(console, "node/gpu-2", "✘ not ready", "Healthy GpuUnhealthy", "kubectl uncordon gpu-2");
      save("node");
      see(console, "node/gpu-1", "✔ ready", "default/train-0", "3 × nvidia.com/gpu");
      see(console, "pods", "it asks for more GPUs than any node has", "default/huge-0");
      save("pods");
      see(console, "rollout", "Drain", "pod ml/api-0: the GPU", "What holds it up");
      save("rollout");
      see(console, "hardware", "NeedsReboot", "Xid 79", "drain the node and reboot it");
      save("hardware");
      see(
          console,
          "policy",
          "ClusterPolicy cluster-policy: not ready",
          "kubectl gpu explain policy");
      save("policy");
      browser.prefer("dark");
      see(console, "", "Needs attention");
      assertThat(browser.run("return getComputedStyle(document.body).backgroundColor"))
          .isEqualTo("rgb(18, 23, 30)");
      save("fleet-dark");
      assertNoComplaint();
    }
  }

  @Test
  void keysMoveThroughTheGpus_andOpenANode() {
    ConsoleObjects.create(cluster, "m");
    try (var console = console()) {
      see(console, "", "3 of 3 nodes");
      var _ = browser.run("document.querySelector('canvas').focus()");
      await("gpu-2 · GPU 1 of 4: NeedsReboot", "Node not ready: GpuUnhealthy");
      browser.press(RIGHT, RIGHT);
      await("gpu-2 · GPU 3 of 4: Healthy");
      browser.press(ENTER);
      await("✘ not ready");
      assertThat(browser.run("return location.hash")).isEqualTo("#/node/gpu-2");
      assertThat(browser.run("return document.title")).isEqualTo("gpu-2 · kubectl gpu");
      assertThat(browser.run("return document.activeElement.id")).isEqualTo("main");
    }
  }

  /// Every control has a name, and the page the landmarks that readers of screens jump to.
  @Test
  void controlsHaveNames() {
    ConsoleObjects.create(cluster, "m");
    try (var console = console()) {
      for (String screen : SCREENS) {
        see(console, screen, "kubectl gpu");
        Awaitility.await()
            .atMost(LIMIT)
            .until(() -> Boolean.TRUE.equals(browser.run("return !!document.querySelector('h1')")));
        assertThat(
                browser.run(
                    """
                    return [...document.querySelectorAll('button, a, input, select, canvas')]
                      .filter(it => !(it.getAttribute('aria-label') || it.textContent.trim() || it.labels?.length))
                      .map(it => it.outerHTML)\
                    """))
            .isEqualTo(List.of());
        assertThat(
                browser.run(
                    "return ['header', 'nav[aria-label]', 'main', 'h1', '[aria-live]'].filter(it => !document.querySelector(it))"))
            .as(screen)
            .isEqualTo(List.of());
      }
    }
  }

  @Test
  void textOfTheCluster_isNeverMarkup() {
    ConsoleObjects.create(cluster, MARKUP + PluginCluster.HOSTILE);
    try (var console = console()) {
      for (String screen : SCREENS) {
        see(console, screen, screen.equals("hardware") ? "gpu-2" : MARKUP);
        assertThat(browser.text()).doesNotContain("\u202e", "\u001b", "\u009b");
        assertThat(
                browser.run(
                    "return [window.pwned ?? 0, document.querySelectorAll('#app img, #app b, #app script').length]"))
            .isEqualTo(List.of(0, 0));
      }
      assertThat(browser.text()).doesNotContain("pwned=1\u0007");
      assertNoComplaint();
    }
  }

  @Test
  void apiServerThatIsGone_andAConsoleThatHasEnded() {
    cluster.gpuNode("gpu-1", "True", "Ready", "", "");
    try (var console = console()) {
      see(console, "", "1 of 1 nodes");
      plane.stopApiServer();
      try {
        await("Stale since", "gpu-1");
      } finally {
        plane.startApiServer();
      }
      awaitWithout("Stale since");
      console.end();
      await("Not connected", "start it again in your terminal");
    }
  }

  @Test
  void userWhoMayOnlyListGpuNodes() {
    plane.client().resource(Serialization.unmarshal(ROLE, ClusterRole.class)).create();
    plane.client().resource(Serialization.unmarshal(BINDING, ClusterRoleBinding.class)).create();
    cluster.gpuNode("gpu-1", "True", "Ready", "", "");
    try (var console = new RunningConsole(cluster.builder("console", "--as", "viewer"))) {
      see(console, "", "No pods. viewer may not list pods", "1 of 1 nodes");
      assertThat(browser.text()).containsPattern("GPUs free\\s+\\? \\? in use");
      see(console, "pods", "Your rights do not allow to list the pods");
      see(console, "node/gpu-1", "who holds its GPUs is not known");
      assertNoComplaint();
    }
  }

  /// A program in the place of kubectl answers: an API server would need a minute to have them.
  @Test
  void fiveThousandNodes() throws IOException {
    var builder = cluster.builder("console");
    builder.environment().put("KUBECTL", LargeCluster.kubectl(folder).toString());
    try (var console = new RunningConsole(builder)) {
      Awaitility.await()
          .atMost(LIMIT)
          .until(() -> console.api("fleet").at("status", "nodes", "total").number() == 5000);
      see(console, "", "5000 of 5000 nodes", "of 40000", "1 node not ready");
      System.err.printf(
          "console, 5,000 nodes with 8 GPUs each: %s ms until all GPUs are painted, %s KiB resident%n",
          browser.run("return Math.round(performance.getEntriesByName('painted')[0].startTime)"),
          resident(console.process()));
      see(console, "?q=gpu-4242", "1 of 5000 nodes");
      see(console, "node/gpu-4242", "✔ ready");
      assertNoComplaint();
    }
  }

  private RunningConsole console() {
    return new RunningConsole(cluster.builder("console"));
  }

  private void see(RunningConsole console, String screen, String... texts) {
    browser.open("about:blank");
    browser.open(console.address() + "#/" + screen);
    await(texts);
  }

  private void await(String... texts) {
    Awaitility.await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(browser.text()).contains(texts));
  }

  private void awaitWithout(String text) {
    Awaitility.await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(browser.text()).doesNotContain(text));
  }

  /// Neither an error of a script nor something that the policy of the page has forbidden.
  private void assertNoComplaint() {
    assertThat(browser.complaints()).noneMatch(it -> it.contains("SEVERE") && !it.contains("404"));
  }

  /// Where `make screenshots` wants them.
  private void save(String name) throws IOException {
    String target = System.getProperty("pitcrew.screenshots", "");
    if (!target.isEmpty()) {
      browser.resize(1200, 760);
      Files.write(Path.of(target, "console-%s.png".formatted(name)), browser.screenshot());
    }
  }

  private static String resident(ProcessHandle process) throws IOException {
    return Files.readAllLines(Path.of("/proc/%d/status".formatted(process.pid()))).stream()
        .filter(it -> it.startsWith("VmRSS:"))
        .map(it -> it.replaceAll("[^0-9]", ""))
        .findFirst()
        .orElse("?");
  }

  private static final String ROLE =
      """
      metadata: {name: console-viewer}
      rules:
      - {apiGroups: [pitcrew.dev], resources: [gpunodes], verbs: [get, list, watch]}
      """;

  private static final String BINDING =
      """
      metadata: {name: console-viewer}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: console-viewer}
      subjects:
      - {apiGroup: rbac.authorization.k8s.io, kind: User, name: viewer}
      """;
}
