// Test budget 120 s: the API server is stopped and started, and JVMs of the plugin start.
package dev.pitcrew.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The server of `kubectl gpu console` with the real kubectl, against a real API server.
@WithControlPlane
class ConsoleCommandTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ControlPlane plane;
  private final PluginCluster cluster;

  ConsoleCommandTest(ControlPlane plane) {
    this.plane = plane;
    cluster = new PluginCluster(plane);
  }

  @BeforeEach
  void define() {
    ConsoleObjects.define(cluster);
  }

  @Test
  void everyAnswer_forbidsWhatThePageDoesNotNeed() {
    try (var console = new RunningConsole(cluster.builder("console"))) {
      for (String path : List.of("", "console.js", "preact.module.js", "api/v1/fleet", "none")) {
        var answer = console.send("GET", path);
        assertThat(answer.headers().map())
            .as(path)
            .containsEntry(
                "content-security-policy",
                List.of(
                    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"))
            .containsEntry("x-content-type-options", List.of("nosniff"))
            .containsEntry("referrer-policy", List.of("no-referrer"))
            .containsEntry("cache-control", List.of("no-store"))
            .doesNotContainKey("access-control-allow-origin");
        assertThat(answer.statusCode()).isEqualTo(path.equals("none") ? 404 : 200);
      }
      assertThat(console.send("POST", "api/v1/fleet").statusCode()).isEqualTo(405);
      assertThat(console.send("GET", "api/v1/fleet", "Origin", "http://evil.example").statusCode())
          .isEqualTo(403);
      assertThat(console.send("GET", "api/v1/node/..%2f..%2fapi").statusCode()).isEqualTo(404);
      assertThat(console.send("GET", "api/v1/node/gpu-9").body()).contains("none of that name");
    }
  }

  @Test
  void changesOfTheCluster_reachTheBrowser() throws IOException {
    try (var console = new RunningConsole(cluster.builder("console"));
        var events = events(console)) {
      assertThat(next(events)).isEqualTo("event: snapshot");
      cluster.gpuNode("gpu-1", "True", "Ready", "", "");
      await().atMost(LIMIT).until(() -> next(events).contains("\"name\": \"gpu-1\""));

      plane
          .client()
          .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
          .withName("gpu-1")
          .delete();
      await().atMost(LIMIT).until(() -> next(events).contains("\"gone\": [\"gpu-1\"]"));
    }
  }

  @Test
  void apiServerThatIsGone_isShownAsStale_untilItIsBack() {
    cluster.gpuNode("gpu-1", "True", "Ready", "", "");
    try (var console = new RunningConsole(cluster.builder("console"))) {
      awaitNodes(console, 1);
      plane.stopApiServer();
      try {
        await()
            .atMost(LIMIT)
            .untilAsserted(() ->
                assertThat(problems(console))
                    .anySatisfy(it -> {
                      assertThat(it.at("what").text()).isEqualTo("GPUNodes");
                      assertThat(it.at("stale").isTrue()).isTrue();
                      assertThat(it.at("since").text()).startsWith("20");
                    }));
        awaitNodes(console, 1);
      } finally {
        plane.startApiServer();
      }
      cluster.gpuNode("gpu-2", "True", "Ready", "", "");
      awaitNodes(console, 2);
      await().atMost(LIMIT).until(() -> problems(console).isEmpty());
    }
  }

  @Test
  void wrongInput_andAClusterThatRefuses_haveARemedy() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Run run = cluster.run("console", "--no-open", "--port", String.valueOf(taken.getLocalPort()));
      assertThat(run.code()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.text())
          .contains("port " + taken.getLocalPort(), "choose another port")
          .doesNotContain("Exception");
    }
    assertThat(cluster.run("console", "--port", "70000"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("give a number from 0 to 65535"));
    assertThat(cluster.run("console", "--no-open", "--as", "eve"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.text()).contains("eve may not list gpunodes.pitcrew.dev"));
    assertThat(cluster.run("console", "--no-open", "--server=https://127.0.0.1:1"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.err()).startsWith("error: https://127.0.0.1:1"));
  }

  @Test
  void noProcessIsLeft() {
    var console = new RunningConsole(cluster.builder("console"));
    await().atMost(LIMIT).until(() -> watches(console).size() == 3);
    List<ProcessHandle> children = watches(console);

    console.end();

    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(children).noneMatch(ProcessHandle::isAlive));
  }

  private static List<ProcessHandle> watches(RunningConsole console) {
    return console
        .process()
        .children()
        .filter(it -> it.info().commandLine().orElse("").contains("watch=1"))
        .toList();
  }

  private static void awaitNodes(RunningConsole console, int count) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(console.api("fleet").at("status", "nodes", "total").number())
                .isEqualTo(count));
  }

  private static List<Json> problems(RunningConsole console) {
    return console.api("fleet").at("problems").items();
  }

  private static BufferedReader events(RunningConsole console) throws IOException {
    var connection = URI.create(console.address() + "api/v1/events").toURL().openConnection();
    connection.setReadTimeout((int) LIMIT.toMillis());
    return new BufferedReader(
        new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
  }

  private static String next(BufferedReader events) throws IOException {
    return String.valueOf(events.readLine());
  }
}
