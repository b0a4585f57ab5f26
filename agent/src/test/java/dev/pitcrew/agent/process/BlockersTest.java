package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.validation.Blocker.Cause;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Each blocker on a simulated node with a real API server: how soon it is seen in a condition, an
/// Event and the table of the GPUNode, and how soon it is gone when its cause is gone.
@WithControlPlane
class BlockersTest {
  // Test budget 160 s: each blocker costs the start of an agent.
  private static final String GPU = "nvidia.com/gpu";
  private static final int GPUS = 4;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration PACE = Duration.ofMillis(100);

  private final BlockerTable table = new BlockerTable();
  private Injections injections;
  private RunningAgent agent;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.startKubelet();
    injections = new Injections(agent);
    injections.prepare();
    agent.provide("\"labels\", \"devicePlugin\", \"validation\"");
    agent.label("nvidia.com/gpu.deploy.operator-validator", "true");
    agent.label("nvidia.com/gpu.deploy.container-toolkit", "true");
    agent.allocatable(GPU, GPUS);
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
  }

  @Test
  void eachBlockerIsNamedWhileItLastsAndNoLonger() throws IOException {
    for (Injection injection : injections.all()) {
      // One agent emits some Events at once and then one in ten seconds.
      agent.start();
      awaitWell();
      follow(injection);
      agent.stop();
    }

    System.out.println("\n" + table);
    assertThat(table.reasons())
        .as("no blocker was left out")
        .containsAll(Stream.of(Cause.values()).map(Cause::reason).toList());
  }

  @Test
  void statusFilesFollowTheTruth() throws IOException {
    agent.start();
    awaitWell();
    await()
        .atMost(LIMIT)
        .until(() -> ready().containsAll(List.of("cuda-ready", "driver-ready", "plugin-ready")));
    assertThat(ready()).contains("toolkit-ready").doesNotContain("gdrcopy-ready");

    node().unloadDriver();
    await().atMost(LIMIT).until(() -> ready().isEmpty());
    node().loadDriver();
    await().atMost(LIMIT).until(() -> ready().contains("plugin-ready"));

    agent.label("nvidia.com/gpu.deploy.operator-validator", "paused-for-driver-upgrade");
    await().atMost(LIMIT).until(() -> ready().isEmpty());
    await().atMost(LIMIT).until(() -> agent.condition("Validated").equals("False Paused"));
    agent.label("nvidia.com/gpu.deploy.operator-validator", "true");
    awaitWell();

    agent.label("nvidia.com/gpu.deploy.operator-validator", "false");
    await().atMost(LIMIT).until(() -> agent.condition("Validated").isEmpty());
    assertThat(ready()).as("owned by another program from now on").contains("driver-ready");
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void nodeWhoseGpusVirtualMachinesHaveIsReady(String byManager) throws IOException {
    injections.passThrough(byManager);

    agent.start();

    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(agent.condition("DriverReady")).isEqualTo("True PassedThrough"));
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(agent.condition("Ready"))
                .as(agent.gpuNode().at("/status").toString())
                .isEqualTo("True Ready"));
    assertThat(agent.condition("Healthy")).isEmpty();
  }

  private void follow(Injection injection) throws IOException {
    Set<String> reportedBefore = events(injection);

    long caused = System.nanoTime();
    injection.cause().run();
    List<Duration> reported =
        times(
            injection,
            caused,
            () -> condition(injection).equals("False " + injection.reason()),
            () -> !reportedBefore.containsAll(events(injection)),
            () -> failures().contains(injection.reason()));
    times(
        injection,
        caused,
        () -> agent.condition("Validated").startsWith("False"),
        () -> agent.condition("Ready").startsWith("False"));

    long remedied = System.nanoTime();
    injection.remedy().run();
    List<Duration> gone =
        times(
            injection,
            remedied,
            () ->
                condition(injection).startsWith("True")
                    && !failures().contains(injection.reason()));
    awaitWell();
    assertThat(failures()).isEmpty();
    table.add(
        injection,
        new BlockerTable.Times(reported.get(0), reported.get(1), reported.get(2), gone.getFirst()));
  }

  /// Looks at all by turns: when each was so for the first time.
  private List<Duration> times(Injection injection, long sinceNanos, BooleanSupplier... states) {
    var times = new @Nullable Duration[states.length];
    await()
        .atMost(LIMIT)
        .pollInterval(PACE)
        .untilAsserted(() -> {
          for (int i = 0; i < states.length; i++) {
            if (times[i] == null && states[i].getAsBoolean()) {
              times[i] = Duration.ofNanos(System.nanoTime() - sinceNanos);
            }
          }
          assertThat(times)
              .as("%s: %s", injection.reason(), agent.gpuNode().at("/status"))
              .doesNotContainNull();
        });
    return Stream.of(times).map(Objects::requireNonNull).toList();
  }

  private void awaitWell() {
    await()
        .atMost(LIMIT)
        .pollInterval(PACE)
        .untilAsserted(() -> {
          assertThat(agent.condition("Validated"))
              .as(agent.gpuNode().at("/status").toString())
              .isEqualTo("True Validated");
          assertThat(agent.condition("Ready")).isEqualTo("True Ready");
        });
  }

  private SimulatedNode node() {
    return agent.gpus();
  }

  private String condition(Injection injection) {
    return agent.condition(injection.type().type());
  }

  /// The reasons of the checks that failed.
  private List<String> failures() {
    var reasons = new ArrayList<String>();
    for (JsonNode check : agent.gpuNode().at("/status/validation")) {
      if (check.path("state").asText().equals("Failed")) {
        reasons.add(check.path("reason").asText());
      }
    }
    return reasons;
  }

  /// What was reported about it, and how often.
  private Set<String> events(Injection injection) {
    return agent.events().stream()
        .filter(event -> injection.reason().equals(event.getReason()))
        .map(event -> event.getMetadata().getUid() + event.getMetadata().getResourceVersion())
        .collect(Collectors.toUnmodifiableSet());
  }

  /// The status files that are there.
  private List<String> ready() {
    String[] names = agent.validations().toFile().list((_, name) -> name.endsWith("-ready"));
    return names == null
        ? List.of()
        : Stream.of(names).filter(name -> !name.startsWith(".")).sorted().toList();
  }
}
