package dev.pitcrew.agent.mig.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.agent.realnode.KillAgent;
import dev.pitcrew.agent.realnode.KillCheck;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each step of a change ends badly in each way: the process is killed after it, the call fails,
/// the call does not return. The node is then divided as it was, with a reason, or the next run
/// makes it as it is wanted; no user has to help.
class MigKillMatrixTest {
  // Test budget 100 s: 30 combinations of step and kill, each with a JVM of its own.
  private static final String CONFIG =
      """
      version: v1
      mig-configs:
        wanted:
        - devices: all
          mig-enabled: true
          mig-devices: {3g.20gb: 2}
        impossible:
        - devices: all
          mig-enabled: true
          mig-devices: {3g.20gb: 3}
      """;

  /// GPU 0 has instances that must go, GPU 1 a mode that must change.
  private static final String BEFORE =
      """
      mode 0 1 1
      gi 0 7 0 0 1
      ci 0 7 0 0 0 1
      gi 0 12 0 5 1
      ci 0 12 0 0 0 1
      mode 1 0 0
      """;

  private static final String PARTITIONS = "dev.pitcrew.hardware.gpu.Partitions#";
  private static final String CHANGE = "dev.pitcrew.agent.mig.change.";
  private static final List<String> TABLE = new CopyOnWriteArrayList<>();

  @TempDir Path folder;
  private SimulatedNode node;
  private String before;

  /// What runs in the process that is killed or hangs.
  static final class Doomed {
    private Doomed() {}

    public static void main(String[] arguments) {
      CommandRun run =
          CommandRun.of(new dev.pitcrew.agent.command.NvmlReader(), java.util.Map.of(), arguments);
      System.err.print(run.errors());
      Runtime.getRuntime().halt(run.exitCode());
    }
  }

  private record Ended(int status, String said) {}

  @BeforeEach
  void makeNode() throws IOException {
    node = SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("a100-40g"));
    node.divide(BEFORE);
    Files.writeString(folder.resolve("config.yaml"), CONFIG);
    before = layout();
  }

  @AfterAll
  static void printTable() {
    System.out.printf("%-26s %-12s %s%n", "STEP", "WHAT HAPPENS", "THE NODE THEN");
    TABLE.stream().sorted().forEach(System.out::println);
  }

  @ParameterizedTest
  @CsvSource({
    "mig.change.Journal#begin",
    "Partitions#destroyCompute",
    "Partitions#destroyInstance",
    "Partitions#setMode",
    "mig.change.OwnAccess#reset",
    "Partitions#createInstance",
    "Partitions#createCompute",
    "mig.change.Journal#end"
  })
  void killedRun_isFinishedByTheNext(String step) throws Exception {
    String place = place(step);
    Ended killed = process(place, "wanted");
    assertThat(killed.said()).contains(KillCheck.LAST_WORDS + place);

    CommandRun next = apply("wanted");

    assertThat(next.exitCode()).as(next.errors()).isZero();
    assertIsAsWanted();
    row(step, "kill -9", "as wanted, by the next run");
  }

  /// Between the mode and the instances the driver shows what it hid before.
  @ParameterizedTest
  @CsvSource({"Partitions#setMode", "mig.change.OwnAccess#reset", "Partitions#createInstance"})
  void changeWithADriverThatHidesProfiles_isFinishedOrRolledBackToo(String step) throws Exception {
    node.simulate("unload");
    node.simulate("load", "535.183.06", "12.2");
    String place = place(step);
    assertThat(process(place, "wanted").said()).contains(KillCheck.LAST_WORDS + place);

    CommandRun refused = apply("impossible");

    assertThat(refused.errors()).contains("no room for 3g.20gb x 3").contains("divided as before");
    assertThat(layout()).isEqualTo(before);
    assertThat(process(place, "wanted").said()).contains(KillCheck.LAST_WORDS + place);
    CommandRun next = apply("wanted");
    assertThat(next.exitCode()).as(next.errors()).isZero();
    assertIsAsWanted();
    row(step, "kill -9, R535", "as before after a refusal; as wanted, by the next run");
  }

  @ParameterizedTest
  @CsvSource({"Partitions#destroyInstance", "Partitions#setMode", "Partitions#createCompute"})
  void afterAKillTheWayBackIsStillKnown(String step) throws Exception {
    String place = place(step);
    assertThat(process(place, "wanted").said()).contains(KillCheck.LAST_WORDS + place);
    assertThat(node.hostRoot().resolve("var/lib/pitcrew/mig-before-change.json")).exists();

    CommandRun next = apply("impossible");

    assertThat(next.exitCode()).isEqualTo(1);
    assertThat(next.errors()).contains("no room for 3g.20gb x 3").contains("divided as before");
    assertThat(layout()).isEqualTo(before);
    row(step, "kill, refusal", "as before: no room for 3g.20gb x 3");
  }

  @ParameterizedTest
  @CsvSource({
    "nvmlComputeInstanceDestroy",
    "nvmlGpuInstanceDestroy",
    "nvmlDeviceSetMigMode",
    "reset",
    "nvmlDeviceCreateGpuInstanceWithPlacement",
    "nvmlGpuInstanceCreateComputeInstance"
  })
  void failedChange_isRolledBack(String call) throws Exception {
    node.simulate("fail", call, "999", "1");

    CommandRun failed = apply("wanted");

    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.errors()).contains("the GPUs are again divided as before");
    assertThat(layout()).isEqualTo(before);
    row(call, "error", "as before: " + reason(failed.errors()));
    assertThat(apply("wanted").exitCode()).isZero();
    assertIsAsWanted();
  }

  @ParameterizedTest
  @CsvSource({
    "nvmlComputeInstanceDestroy",
    "nvmlGpuInstanceDestroy",
    "nvmlDeviceSetMigMode",
    "nvmlDeviceCreateGpuInstanceWithPlacement",
    "nvmlGpuInstanceCreateComputeInstance"
  })
  void hungCall_isNotAwaited(String call) throws Exception {
    node.simulate("fail", call, "hang", "1");

    Ended hung = process("", "wanted", "--call-seconds=3");

    assertThat(hung.status()).as(hung.said()).isEqualTo(1);
    assertThat(hung.said()).contains("no answer within the deadline");
    node.release(0);
    node.release(1);
    CommandRun next = apply("wanted");
    assertThat(next.exitCode()).as(next.errors()).isZero();
    assertIsAsWanted();
    row(call, "deadline", "as wanted, by the next run; said: " + reason(hung.said()));
  }

  @Test
  void nothingIsBegunAfterTheDeadline() throws Exception {
    CommandRun late = apply("wanted", "--deadline-seconds=0");

    assertThat(late.exitCode()).isEqualTo(1);
    assertThat(late.errors()).contains("the deadline is over before GPU 1: set MIG mode on");
    assertThat(layout()).isEqualTo(before);
  }

  @Test
  void gpuInUse_isNamed_andStaysUnchanged() throws Exception {
    node.simulate("process", "0", "4711", "100", "7", "0");

    CommandRun busy = apply("wanted");

    assertThat(busy.exitCode()).isEqualTo(1);
    assertThat(busy.errors()).contains("GPU 0 is in use by process 4711; nothing was changed");
    assertThat(layout()).isEqualTo(before);
  }

  private void assertIsAsWanted() throws IOException {
    CommandRun asserted = run("assert", "wanted");
    assertThat(asserted.exitCode()).as(asserted.errors()).isZero();
    assertThat(layout()).isNotEqualTo(before);
    assertThat(node.hostRoot().resolve("var/lib/pitcrew/mig-before-change.json")).doesNotExist();
  }

  private static void row(String step, String what, String then) {
    TABLE.add("%-42s %-14s %s".formatted(step, what, then));
  }

  private static String reason(String said) {
    return said.lines()
        .filter(line -> line.startsWith("Error applying"))
        .map(line -> line.substring(line.indexOf(": ") + 2))
        .map(line -> line.replaceAll(";.*", ""))
        .findFirst()
        .orElse(said);
  }

  private static String place(String step) {
    return step.startsWith("Partitions#")
        ? PARTITIONS + step.substring(step.indexOf('#') + 1)
        : CHANGE + step.substring("mig.change.".length());
  }

  private CommandRun apply(String label, String... more) {
    return run("apply", label, more);
  }

  private CommandRun run(String command, String label, String... more) {
    return CommandRun.of(node, words(command, label, more).toArray(String[]::new));
  }

  private List<String> words(String command, String label, String... more) {
    var words = new ArrayList<>(List.of("mig", command, "-f"));
    words.addAll(List.of(folder.resolve("config.yaml").toString(), "-c", label));
    words.addAll(List.of(more));
    return words;
  }

  private Ended process(String place, String label, String... more) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("--enable-native-access=ALL-UNNAMED");
    if (!place.isEmpty()) {
      command.add("-javaagent:" + KillAgent.jarIn(folder) + "=" + place);
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Doomed.class.getName()));
    command.addAll(words("apply", label, more));
    command.add("--host-root=" + node.hostRoot());
    command.add("--driver-root=" + node.options().driverRoot());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), said);
  }

  /// Modes, instances and their places, as a checkpoint shows them.
  private String layout() throws IOException {
    Path file = folder.resolve("checkpoint.json");
    CommandRun run = CommandRun.of(node, "mig", "checkpoint", "-f", file.toString());
    assertThat(run.exitCode()).as(run.errors()).isZero();
    return Files.readString(file);
  }
}
