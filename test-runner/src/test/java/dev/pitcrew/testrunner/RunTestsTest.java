package dev.pitcrew.testrunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Test classes of a small checkout run in JVMs of their own, as those of the project do.
class RunTestsTest {
  @TempDir private Path checkout;
  private String output = "";
  private boolean isContinuousIntegration;

  @BeforeEach
  void makeCheckout() throws IOException {
    var module = Files.createDirectories(checkout.resolve("module/target/test-classes"));
    Files.createDirectories(checkout.resolve("build"));
    Files.writeString(checkout.resolve("build/test-exceptions"), "");
    Files.writeString(
        module.resolveSibling("test.classpath"), System.getProperty("java.class.path"));
  }

  @Test
  void allTestsPass_exitStatusIsZero() throws IOException {
    addClass("GoodTest", "@Test void one() {} @Test void two() {}");

    assertThat(run()).isZero();
    assertThat(output)
        .contains("ok module GoodTest, 2 tests")
        .endsWith(line("2 passed, 0 failed, 0 skipped"));
  }

  @Test
  void failedTest_failsTheRunAndShowsItsTrace() throws IOException {
    addClass("BadTest", "@Test void fails() { throw new IllegalStateException(\"broken\"); }");

    assertThat(run()).isOne();
    assertThat(output)
        .contains("FAILED BadTest.fails", "IllegalStateException: broken", "BadTest.java:4")
        .contains("module BadTest: FAILED")
        .endsWith(line("0 passed, 1 failed, 0 skipped"));
  }

  @Test
  void testThatPassesTheSecondTime_failsTheRunAsFlaky() throws IOException {
    addClass("FlakyTest", flaky());

    assertThat(run()).isOne();
    assertThat(output).contains("module FlakyTest: FLAKY");
  }

  @Test
  void flakyTestWithKnownCause_passes() throws IOException {
    addClass("FlakyTest", flaky());
    Files.writeString(
        checkout.resolve("build/test-exceptions"), "flaky 2026-01-31 module FlakyTest: a race\n");

    assertThat(run()).isZero();
    assertThat(output).contains("module FlakyTest: flaky, as build/test-exceptions says");
  }

  private static String flaky() {
    return """
    @Test void failsOnce() throws Exception {
      var file = java.nio.file.Path.of("first-run");
      if (!java.nio.file.Files.exists(file)) {
        java.nio.file.Files.createFile(file);
        throw new IllegalStateException("the first time");
      }
    }
    """;
  }

  @Test
  void jvmThatEnds_failsItsClassAndTheNextOneRuns() throws IOException {
    addClass("AExitTest", "@Test void exits() { Runtime.getRuntime().halt(3); }");
    addClass("GoodTest", "@Test void one() {}");

    assertThat(run()).isOne();
    assertThat(output).contains("FAILED module AExitTest", "ok module GoodTest, 1 tests");
  }

  @Test
  void skippedTests_areCountedWithTheirReason() throws IOException {
    addClass(
        "SkippedTest",
        "@Test void needsMore() { org.junit.jupiter.api.Assumptions.abort(\"no root\"); }");

    assertThat(run()).isZero();
    assertThat(output)
        .contains("1 skipped:", "SkippedTest.needsMore: no root")
        .endsWith(line("0 passed, 0 failed, 1 skipped"));
  }

  @Test
  void skippedTest_failsContinuousIntegrationUnlessItIsAllowed() throws IOException {
    isContinuousIntegration = true;
    addClass(
        "SkippedTest",
        "@Test void needsMore() { org.junit.jupiter.api.Assumptions.abort(\"no root\"); }");

    assertThat(run()).isOne();
    assertThat(output).contains("SkippedTest.needsMore: SKIPPED, which fails");

    Files.writeString(
        checkout.resolve("build/test-exceptions"), "skip SkippedTest.needsMore: no such machine\n");
    assertThat(run()).isZero();
  }

  @Test
  void patternOfNoTest_isWrongUsage() throws IOException {
    addClass("GoodTest", "@Test void one() {}");

    assertThat(run("--only=BadTest")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(output).contains("No test class or command has 'BadTest' in its name");
  }

  @Test
  void moduleThatIsNotBuilt_isNotPassedOver() throws IOException {
    addClass("GoodTest", "@Test void one() {}");
    Files.createDirectories(checkout.resolve("forgotten/src/test/java"));

    assertThat(run()).isNotZero();
    assertThat(output).doesNotContain("1 passed");
  }

  @Test
  void excludedTags_doNotRun() throws IOException {
    addClass("TaggedTest", "@org.junit.jupiter.api.Tag(\"cluster\") @Test void one() {}");

    assertThat(run("--exclude-tag=cluster")).isZero();
    assertThat(output)
        .doesNotContain("ok module TaggedTest")
        .endsWith(line("0 passed, 0 failed, 0 skipped"));
  }

  @Test
  void soak_printsWhatItPlaysBeyondTheUsual() throws IOException {
    addClass(
        "LongTest",
        """
        @Test void matrix() { System.out.println("soak: LongTest.matrix: 40 cases instead of 4"); }
        """);

    assertThat(run()).isZero();
    assertThat(output).contains("Played beyond 'make test':", "40 cases instead of 4");
  }

  @Test
  void soak_triesPropertiesMoreOften() throws IOException {
    addClass(
        "PropertyTest",
        """
        static int tries;

        @net.jqwik.api.Property(tries = 3) void property(@net.jqwik.api.ForAll long number) {
          if (++tries == 30) { throw new IllegalStateException("the last one of thirty"); }
        }
        """);

    assertThat(run("--jvm-flag=-Dpitcrew.soak=true")).isOne();
    assertThat(output)
        .contains("the last one of thirty", "PropertyTest.property: 30 tries instead of 3");
  }

  @Test
  void commandThatPasses_isSummedUpByItsLastLine() {
    assertThat(run("--command=parity=echo begun; echo TOTAL 3 of 3 equal")).isZero();
    assertThat(output).contains("parity: TOTAL 3 of 3 equal");
  }

  @Test
  void commandThatFails_failsTheRunAndShowsTheEndOfItsOutput() {
    assertThat(run("--command=docs=echo the reason; exit 4")).isOne();
    assertThat(output).contains("FAILED docs", "ended with status 4", "the reason");
  }

  @Test
  void interruptedRun_leavesNoJvmWhoseShutdownHangsAndBeginsNoOther() throws Exception {
    addClass("LaterTest", "@Test void passes() {}");
    addHangingTest();
    var runner = start("--lanes=1");
    var log = checkout.resolve("module/target/test-logs");
    await().until(() -> saysHangs(log));
    var worker = runner.children().findFirst().orElseThrow();

    runner.destroy();

    await().until(() -> !runner.isAlive());
    try {
      assertThat(worker.isAlive()).isFalse();
    } finally {
      worker.destroyForcibly();
    }
    assertThat(checkout.resolve("output")).content().doesNotContain("LaterTest");
  }

  @Test
  void runOverItsLimit_endsAndSaysWhatIsDone() throws Exception {
    addHangingTest();

    var runner = start("--limit=PT5S");

    assertThat(runner.waitFor()).isOne();
    assertThat(checkout.resolve("output"))
        .content()
        .contains("took more than PT5S", "Ended after 0 of 1 jobs");
  }

  @Test
  void waitWithoutALimit_outlivesABusyMachine() throws IOException {
    addClass(
        "WaitingTest",
        """
        @Test void waits() {
          var left = new java.util.concurrent.atomic.AtomicLong();
          org.awaitility.Awaitility.await()
              .conditionEvaluationListener(it -> left.set(it.getRemainingTimeInMS()))
              .until(() -> true);
          org.junit.jupiter.api.Assertions.assertTrue(left.get() > 30_000, () -> "" + left);
        }
        """);

    assertThat(run()).isZero();
  }

  private void addHangingTest() throws IOException {
    addClass(
        "HangingTest",
        """
        @Test void hangs() throws Exception {
          Runtime.getRuntime().addShutdownHook(new Thread(HangingTest::sleep));
          System.err.println("hangs");
          sleep();
        }
        static void sleep() { java.util.concurrent.locks.LockSupport.park(); sleep(); }
        """);
  }

  private Process start(String option) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            RunTests.class.getName(),
            "--repository=" + checkout,
            "--grace=PT0.5S",
            option)
        .redirectErrorStream(true)
        .redirectOutput(checkout.resolve("output").toFile())
        .start();
  }

  private static boolean saysHangs(Path logs) throws IOException {
    try (var files = Files.find(logs, 1, (_, it) -> it.isRegularFile())) {
      for (var file : files.toList()) {
        if (Files.readString(file).contains("hangs")) {
          return true;
        }
      }
    } catch (NoSuchFileException _) {
      // The JVM of the test is not started yet.
    }
    return false;
  }

  private static String line(String text) {
    return text + System.lineSeparator();
  }

  private int run(String... options) {
    var bytes = new ByteArrayOutputStream();
    var words = new ArrayList<>(List.of("--repository=" + checkout, "--lanes=1"));
    words.addAll(List.of(options));
    int status;
    try (var out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
      status =
          new CommandLine(new RunTests(out, isContinuousIntegration))
              .execute(words.toArray(String[]::new));
    }
    output = bytes.toString(StandardCharsets.UTF_8);
    return status;
  }

  private void addClass(String name, String body) throws IOException {
    var source = checkout.resolve(name + ".java");
    Files.writeString(
        source, "import org.junit.jupiter.api.Test;%n%nclass %s {%n%s%n}%n".formatted(name, body));
    var compiler = ToolProvider.getSystemJavaCompiler();
    var status =
        compiler.run(
            null,
            null,
            null,
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            checkout.resolve("module/target/test-classes").toString(),
            source.toString());
    assertThat(status).isZero();
  }
}
