package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.MigLimits;
import dev.pitcrew.agent.realnode.KillCheck;
import dev.pitcrew.agent.status.plan.MigFacts.Phase;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Services of the host that have GPUs open. The host's `systemctl` is a script that knows those
/// that run as files of a folder.
class MigServicesTest {
  private static final String NVSM = "nvsm.service";
  private static final String DCGM = "nvidia-dcgm.service";
  private static final String SYSTEMCTL =
      """
      services=%s
      [ "$1" = systemctl ] || exit 1
      case "$2" in
      is-active)
        shift 2
        for name; do [ -e "$services/$name" ] && echo active || echo inactive; done ;;
      stop)
        [ -e "$services/$3.stuck" ] && { echo "Job for $3 timed out." >&2; exit 1; }
        rm "$services/$3" ;;
      start)
        [ -e "$services/$3.broken" ] && { echo "Unit $3 is broken." >&2; exit 1; }
        touch "$services/$3" ;;
      esac
      """;

  @TempDir Path folder;
  private MigTestNode divided;
  private SimulatedNode node;
  private HostPrograms programs;
  private Path services;

  @BeforeEach
  void makeNode() throws IOException {
    makeNode("/");
  }

  private void makeNode(String driverRoot) throws IOException {
    Path host = folder.resolve(driverRoot.equals("/") ? "own" : "container");
    divided =
        MigTestNode.create(host, SimulatedNodeOptions.of("a100-40g").withDriverRoot(driverRoot));
    node = divided.node();
    programs = new HostPrograms(node.hostRoot());
    services = Files.createDirectories(host.resolve("services"));
    programs.play(SYSTEMCTL.formatted(services));
    mark(NVSM);
    mark(DCGM);
  }

  @AfterEach
  void end() {
    divided.close();
  }

  @Test
  void thoseThatRunAreStoppedForTheChangeAndRunAgainAfterIt() {
    start(MigTestAgent.Order.USUAL);

    divided.awaitPhase(Phase.SUCCESS, "Configured");
    assertThat(programs.said().getFirst()).startsWith("systemctl is-active nvsm.service ");
    assertThat(programs.said().stream().skip(1))
        .containsExactly(
            "systemctl stop " + NVSM,
            "systemctl stop " + DCGM,
            "systemctl start " + DCGM,
            "systemctl start " + NVSM);
    assertAllRun();
  }

  @Test
  void serviceThatDoesNotStop_keepsTheGpusAsTheyAre() throws IOException {
    mark(DCGM + ".stuck");
    start(MigTestAgent.Order.USUAL);

    divided.awaitPhase(Phase.FAILED, "ChangeFailed");
    assertThat(divided.agent().facts().message())
        .contains("systemctl stop nvidia-dcgm.service: Job for", "nothing was changed");
    assertThat(divided.agent().view().withheld()).isEmpty();
    Files.delete(services.resolve(DCGM + ".stuck"));
    assertAllRun();

    divided.pass(Duration.ofMinutes(1));
    divided.awaitPhase(Phase.SUCCESS, "Configured");
    assertAllRun();
  }

  @Test
  void services_runAgainAfterAFailedChange() {
    node.simulate("fail", "nvmlDeviceSetMigMode", "999", "1");
    start(MigTestAgent.Order.USUAL);

    divided.awaitPhase(Phase.FAILED, "ChangeFailed");
    assertThat(divided.agent().facts().message()).contains("divided as before");
    assertAllRun();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "agent.mig.HostServices#stop",
        "hardware.gpu.Partitions#setMode",
        "agent.mig.change.Journal#end",
        "agent.mig.MigReporter#returnDriver"
      })
  void theNextAgentStartsThemWhereOneWasKilled(String place) throws Exception {
    String said = MigTestAgent.killed(node.hostRoot(), folder, "dev.pitcrew." + place);
    assertThat(said).contains(KillCheck.LAST_WORDS);
    assertThat(services.resolve(DCGM)).doesNotExist();

    start(MigTestAgent.Order.USUAL);

    divided.awaitPhase(Phase.SUCCESS, "Configured");
    assertAllRun();
  }

  @Test
  void serviceThatDoesNotStart_isNamedAndRetried() throws IOException {
    mark(DCGM + ".broken");
    start(MigTestAgent.Order.USUAL);

    divided.awaitPhase(Phase.FAILED, "HostServicesDown");
    assertThat(divided.agent().facts().message())
        .contains("the GPUs are divided as wanted says")
        .contains("systemctl start nvidia-dcgm.service: Unit nvidia-dcgm.service is broken.");
    assertThat(services.resolve(NVSM)).as("the others are started").exists();
    assertThat(divided.agent().view().withheld()).isEmpty();

    Files.delete(services.resolve(DCGM + ".broken"));
    divided.pass(Duration.ofMinutes(1));
    divided.awaitPhase(Phase.SUCCESS, "Configured");
    assertAllRun();
  }

  @Test
  void aConfigMapNamesOthersAndItsMistakesTheirPlace() {
    String named = ", \"gpuClientsConfig\": {\"name\": \"clients\"}";
    start(new MigTestAgent.Order(named, Optional.of("version: v1\nservices: []\n")));
    divided.awaitPhase(Phase.FAILED, "ConfigurationInvalid");
    assertThat(divided.agent().facts().message())
        .contains("ConfigMap gpu-operator/clients key clients.yaml:2:11: services: unexpected");

    String right = "version: v1\nsystemd-services: [nvidia-dcgm.service]\n";
    divided.agent().order(new MigTestAgent.Order(named, Optional.of(right)));
    divided.awaitPhase(Phase.SUCCESS, "Configured");
    assertThat(programs.said())
        .containsExactly(
            "systemctl is-active " + DCGM, "systemctl stop " + DCGM, "systemctl start " + DCGM);
  }

  /// As in the reference: what runs on the host has the host's driver open.
  @Test
  void driverContainer_keepsServicesOfTheHostRunning() throws IOException {
    makeNode(SimulatedNodeOptions.CONTAINER_ROOT);
    start(MigTestAgent.Order.USUAL);

    divided.awaitPhase(Phase.SUCCESS, "Configured");
    assertThat(programs.said()).isEmpty();
  }

  private void assertAllRun() {
    try (Stream<Path> files = Files.list(services)) {
      assertThat(files.map(Path::getFileName).map(Path::toString))
          .containsExactlyInAnyOrder(NVSM, DCGM);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(node.hostRoot().resolve("var/lib/pitcrew/mig-stopped-services")).doesNotExist();
  }

  private void mark(String name) throws IOException {
    Files.createFile(services.resolve(name));
  }

  private void start(MigTestAgent.Order order) {
    divided.start(MigLimits.USUAL, order);
  }
}
