package dev.pitcrew.testbed.binaries;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// `build/programs` in a checkout in which nothing was compiled.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BuildAheadTest {
  private static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
  @TempDir private Path folder;
  private Path checkout = Path.of("");

  @BeforeEach
  void checkOut() throws IOException {
    checkout = Files.createDirectories(folder.resolve("checkout"));
    var needed =
        List.of(
            "build/programs",
            "build/java-home",
            "testbed/tools",
            "testbed/src/main/java/dev/pitcrew/testbed/TestbedException.java",
            "testbed/src/main/java/dev/pitcrew/testbed/binaries");
    var command = new ArrayList<>(List.of("cp", "-R", "--parents"));
    command.addAll(needed);
    command.add(checkout.toString());
    var copy = CommandRun.of(command, REPOSITORY);
    assertThat(copy.succeeded()).as(copy.output()).isTrue();
  }

  @Test
  void programsAreBuiltBesideTheCommand() throws Exception {
    var go = StandInGo.in(folder.resolve("go"), ":");

    var run = finish(start("demo", "sh", "-c", "echo the command"));

    assertThat(run.output()).contains("the command", "programs: all ", " are there");
    assertThat(run.status()).isZero();
    assertThat(go.builds()).hasSizeGreaterThanOrEqualTo(3).noneMatch(it -> it.contains("promtool"));
    assertThat(run.output().lines().filter(line -> line.contains(" of ")))
        .isNotEmpty()
        .allMatch(line -> line.startsWith("programs: "));
  }

  @Test
  void twoRunsForTestsBuildEachModuleOnce() throws Exception {
    var go = StandInGo.in(folder.resolve("go"), ":");
    var runs = List.of(start("test", "true"), start("test", "true"));

    for (var run : runs) {
      assertThat(finish(run).status()).isZero();
    }

    assertThat(go.builds()).anyMatch(it -> it.contains("promtool"));
    assertThat(go.builds().stream().map(build -> build.substring(build.lastIndexOf("/made"))))
        .doesNotHaveDuplicates();
  }

  @Test
  void aFailedBuildFailsTheRunOnceTheCommandIsDone() throws Exception {
    StandInGo.in(folder.resolve("go"), "echo 'main.go:1: no'; exit 1");

    var run = finish(start("demo", "sh", "-c", "echo the command"));

    assertThat(run.output())
        .contains("the command", "programs:   - go build of etcd ended with status 1: main.go:1");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void aFailedCommandEndsTheBuild() throws Exception {
    var goOn = folder.resolve("go-on");
    var command = "until [ -e '%s' ]; do sleep 0.1; done; exit 7".formatted(goOn);
    var run = startWithEndlessBuild("demo", "sh", "-c", command);
    var all = run.descendants().toList();

    Files.createFile(goOn);

    assertThat(finish(run).status()).isEqualTo(7);
    assertThatAllEnd(all);
  }

  @Test
  void anInterruptEndsBoth() throws Exception {
    var run = startWithEndlessBuild("demo", "sleep", "600");
    var all = run.descendants().toList();

    CommandRun.of(List.of("kill", "-INT", Long.toString(run.pid())), folder);

    assertThat(finish(run).status()).isEqualTo(130);
    assertThatAllEnd(all);
  }

  /// Returns when Go builds.
  private Process startWithEndlessBuild(String... arguments) throws Exception {
    var builds = folder.resolve("builds");
    StandInGo.in(folder.resolve("go"), ": > '%s'; sleep 600".formatted(builds));
    var run = start(arguments);
    while (!Files.exists(builds)) {
      Thread.sleep(50);
    }
    return run;
  }

  private static void assertThatAllEnd(List<ProcessHandle> processes) {
    assertThat(processes).as("the command, the JVM, Go").hasSizeGreaterThanOrEqualTo(3);
    processes.forEach(process -> process.onExit().join());
  }

  /// A shell cannot trap an interrupt that was ignored when it began, as it is in whatever another
  /// shell runs in the background.
  private Process start(String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of("env", "--default-signal=INT", checkout.resolve("build/programs").toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    var environment = builder.environment();
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("PATH", folder.resolve("go") + ":/usr/bin:/bin");
    environment.put("PITCREW_CACHE", folder.resolve("cache").toString());
    environment.put("KUBEBUILDER_ASSETS", "");
    return builder.start();
  }

  private static CommandRun finish(Process process) throws IOException, InterruptedException {
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new CommandRun(process.waitFor(), output);
  }
}
