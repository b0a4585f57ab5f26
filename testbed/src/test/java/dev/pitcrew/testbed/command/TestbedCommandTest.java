package dev.pitcrew.testbed.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("cluster")
class TestbedCommandTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private final String name = "test-" + UUID.randomUUID().toString().substring(0, 8);
  private final Path directory = Testbeds.ofThisUser().directoryOf(name);

  @AfterEach
  void stop() {
    TestbedCommand.run("down", "--name", name);
  }

  @ParameterizedTest
  @CsvSource({
    "0,--help",
    "0,up --help",
    "2,''",
    "2,nonsense",
    "2,up --gpu-nodes many",
    "1,up --name ../up",
    "1,down --name A",
    "0,down --name missing",
    "0,list"
  })
  void exitStatus_distinguishesDoneRefusedAndWrongUsage(int status, String arguments) {
    var words = Stream.of(arguments.split(" ", -1)).filter(word -> !word.isEmpty());

    assertThat(TestbedCommand.run(words.toArray(String[]::new))).isEqualTo(status);
  }

  @Test
  void nothingOutlivesAKilledCommand() throws Exception {
    var command = up("--gpu-nodes", "2");
    assertThat(processes()).as("guards and programs").hasSizeGreaterThan(5);

    command.destroyForcibly();

    assertThat(command.waitFor(90, TimeUnit.SECONDS)).isTrue();
    assertEverythingIsGone();
  }

  @Test
  void downEndsWhatUpStarted() throws Exception {
    var command = up();

    assertThat(TestbedCommand.run("down", "--name", name)).isZero();

    assertThat(command.waitFor(90, TimeUnit.SECONDS)).isTrue();
    assertEverythingIsGone();
  }

  @Test
  void aNameThatIsInUseIsRefused() throws Exception {
    up();

    assertThat(TestbedCommand.run("up", "--name", name)).isEqualTo(1);
  }

  /// Starts the command in a JVM of its own and returns when it says that it is ready.
  private Process up(String... options) throws IOException {
    var command =
        Stream.concat(
            Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                TestbedCommand.class.getName(),
                "up",
                "--name",
                name),
            Stream.of(options));
    var process =
        new ProcessBuilder(command.toList()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(readUntilReady(process.inputReader())).contains(directory.toString());
    return process;
  }

  private static String readUntilReady(BufferedReader reader) throws IOException {
    var text = new StringBuilder();
    for (var line = reader.readLine(); line != null; line = reader.readLine()) {
      text.append(line).append('\n');
      if (line.startsWith("Ctrl-C here")) {
        break;
      }
    }
    return text.toString();
  }

  private void assertEverythingIsGone() throws InterruptedException {
    var end = System.nanoTime() + SOON.toNanos();
    while (System.nanoTime() < end && (Files.exists(directory) || !processes().isEmpty())) {
      Thread.sleep(50);
    }
    assertThat(processes()).isEmpty();
    assertThat(directory).doesNotExist();
  }

  private List<String> processes() {
    return ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .filter(commandLine -> commandLine.contains(directory.toString()))
        .toList();
  }
}
