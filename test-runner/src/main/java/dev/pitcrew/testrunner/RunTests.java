package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.Job.Command;
import dev.pitcrew.testrunner.Job.TestClass;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Entry point: `make check`, `make test` and `make soak` run it.
@CommandLine.Command(
    name = "tests",
    mixinStandardHelpOptions = true,
    description = "Runs the tests of all modules that Maven has built, several side by side.",
    footer = {
      "",
      "Exit status: 0 all passed; 1 a test failed, or with CI=true one was skipped; 2 wrong usage."
    })
public final class RunTests implements Callable<Integer> {
  /// More failures than these are no flakes.
  private static final int MOST_SECOND_RUNS = 8;

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  private static final ClassResult NOTHING = new ClassResult(0, List.of(), List.of());

  private final PrintStream out;
  private final boolean isContinuousIntegration;

  @Option(
      names = "--repository",
      defaultValue = ".",
      description = "The checkout (default: ${DEFAULT-VALUE}).")
  private Path repository = Path.of(".");

  @Option(
      names = "--lanes",
      defaultValue = "4",
      description = "How many jobs run side by side (default: ${DEFAULT-VALUE}).")
  private int lanes = 4;

  @Option(
      names = "--exclude-tag",
      paramLabel = "TAG",
      description = "Leaves out tests with this JUnit tag.")
  private List<String> excludedTags = List.of();

  @Option(
      names = "--only",
      paramLabel = "REGEX",
      defaultValue = "",
      description = "Runs jobs with this in their name, such as 'agent mig.change.JournalTest'.")
  private Pattern only = Pattern.compile("");

  @Option(
      names = "--command",
      paramLabel = "NAME=COMMAND",
      description = "Runs a shell command as one more job.")
  private Map<String, String> commands = Map.of();

  @Option(names = "--jvm-flag", paramLabel = "FLAG", description = "A flag for the JVMs of tests.")
  private List<String> flags = List.of();

  @Option(
      names = "--limit",
      paramLabel = "DURATION",
      defaultValue = "PT10H",
      description = "Ends a run that takes longer, which fails (ISO 8601, such as PT45M).")
  private Duration limit = Duration.ofHours(10);

  @Option(
      names = "--write-weights",
      description = "Writes how long classes took into build/test-weights.tsv.")
  private boolean writesWeights;

  @Option(
      names = "--grace",
      paramLabel = "DURATION",
      defaultValue = "PT10S",
      description =
          "How long JVMs of tests have to stop control planes and nodes when the run is interrupted (default: ${DEFAULT-VALUE}).")
  private Duration grace = Duration.ofSeconds(10);

  private volatile Optional<JobQueue> waiting = Optional.empty();

  /// What comes of tests that are ended in the middle is no result.
  private volatile boolean isEnding;

  RunTests(PrintStream out, boolean isContinuousIntegration) {
    this.out = out;
    this.isContinuousIntegration = isContinuousIntegration;
  }

  public static void main(String[] arguments) {
    var isContinuousIntegration = "true".equals(System.getenv("CI"));
    System.exit(
        new CommandLine(new RunTests(System.out, isContinuousIntegration)).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var start = System.nanoTime();
    var root = repository.toAbsolutePath().normalize();
    var exceptions = Exceptions.read(root.resolve("build/test-exceptions"));
    var weightsFile = root.resolve("build/test-weights.tsv");
    var weights = Weights.read(weightsFile);
    var memory = MemoryPeak.start();
    endAfterLimit();
    // Also after Ctrl-C; what tests have started ends with them.
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::endChildren));

    var jobs = jobs(root);
    if (jobs.isEmpty()) {
      out.printf(
          "No test class or command has '%s' in its name, as in 'agent mig.change.JournalTest'.%n",
          only);
      return CommandLine.ExitCode.USAGE;
    }
    modules(jobs).forEach(TestModule::removeLogs);
    var results = run(jobs, weights, lanes);
    new Report(out).print(results);
    if (isEnding) {
      out.printf("%nEnded after %d of %d jobs.%n", results.size(), jobs.size());
      return CommandLine.ExitCode.SOFTWARE;
    }
    if (writesWeights) {
      weights.write(weightsFile, results);
    }
    var verdict = new Verdict(results, runAgain(results, weights), exceptions);
    verdict.print(out, isContinuousIntegration);
    var taken = Lane.since(start);
    out.printf(
        "%nTests took %d min %d s; at most %d MiB of memory were in use.%n",
        taken.toMinutes(), taken.toSecondsPart(), memory.mebibytes());
    out.println(verdict.closingLine());
    return verdict.isGreen(isContinuousIntegration) ? 0 : 1;
  }

  private List<Job> jobs(Path root) throws IOException {
    Stream<Job> more =
        commands.entrySet().stream()
            .map(command ->
                new Command(command.getKey(), List.of("/bin/sh", "-c", command.getValue()), root));
    try (var folders = Files.list(root)) {
      Stream<Job> classes =
          folders
              .filter(TestModule::hasTests)
              .map(folder -> new TestModule(String.valueOf(folder.getFileName()), folder))
              .flatMap(
                  module -> module.testClasses().stream().map(name -> new TestClass(module, name)));
      return Stream.concat(more, classes).filter(job -> only.matcher(job.name()).find()).toList();
    }
  }

  static List<TestModule> modules(List<Job> jobs) {
    return jobs.stream()
        .flatMap(job -> job instanceof TestClass test ? Stream.of(test.module()) : Stream.of())
        .distinct()
        .toList();
  }

  private List<JobResult> run(List<Job> jobs, Weights weights, int most)
      throws InterruptedException {
    var queue = new JobQueue(jobs, weights);
    waiting = Optional.of(queue);
    if (isEnding) {
      queue.close();
    }
    var options = new TestProcess.Options(flags, excludedTags);
    var results = Collections.synchronizedList(new ArrayList<JobResult>());
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      var running =
          IntStream.rangeClosed(1, most)
              .mapToObj(number ->
                  new Lane(
                      "lane-" + number,
                      queue,
                      options,
                      result -> {
                        if (!isEnding) {
                          results.add(result);
                          printProgress(result, results.size(), jobs.size());
                        }
                      }))
              .map(threads::submit)
              .toList();
      for (Future<?> lane : running) {
        lane.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a lane failed", e.getCause());
    }
    return List.copyOf(results);
  }

  /// A class without tests of this tier is not reported.
  private synchronized void printProgress(JobResult result, int done, int all) {
    if (result.tests().equals(NOTHING)) {
      return;
    }
    out.printf(
        "[%d/%d] %s %s, %d tests in %.1f s%n",
        done,
        all,
        result.tests().isFailed() ? "FAILED" : "ok",
        result.job().name(),
        result.tests().passed(),
        result.wall().toMillis() / 1000.0);
    result
        .tests()
        .failures()
        .forEach(failure -> out.printf("FAILED %s%n%s%n", failure.test(), failure.text()));
  }

  /// Runs what failed once more, each class in a JVM of its own.
  private List<JobResult> runAgain(List<JobResult> results, Weights weights)
      throws InterruptedException {
    var failed =
        results.stream().filter(result -> result.tests().isFailed()).map(JobResult::job).toList();
    if (failed.size() > MOST_SECOND_RUNS) {
      return List.of();
    }
    var again = new ArrayList<JobResult>();
    for (var job : failed) {
      again.addAll(run(List.of(job), weights, 1));
    }
    return again;
  }

  private void endAfterLimit() {
    var _ =
        Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory())
            .schedule(
                () -> {
                  out.printf("The tests took more than %s and were ended.%n", limit);
                  endChildren();
                },
                limit.toMillis(),
                TimeUnit.MILLISECONDS);
  }

  /// Has no job begin any more. A lane may be starting a JVM, so children are looked for until none
  /// is left. A JVM whose shutdown hooks hang is killed; guards end what it has started.
  private void endChildren() {
    isEnding = true;
    waiting.ifPresent(JobQueue::close);
    var start = System.nanoTime();
    while (ProcessHandle.current().descendants().findAny().isPresent()) {
      var isOver = Lane.since(start).compareTo(grace) > 0;
      ProcessHandle.current()
          .descendants()
          .forEach(isOver ? ProcessHandle::destroyForcibly : ProcessHandle::destroy);
      try {
        Thread.sleep(BETWEEN_LOOKS);
      } catch (InterruptedException _) {
        return;
      }
    }
  }
}
