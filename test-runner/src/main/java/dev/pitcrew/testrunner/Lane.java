package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.Job.Command;
import dev.pitcrew.testrunner.Job.TestClass;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Runs jobs one after another until none waits.
final class Lane implements Runnable {
  /// A class that takes longer hangs.
  private static final Duration LIMIT = Duration.ofMinutes(15);

  private final String name;
  private final JobQueue queue;
  private final TestProcess.Options options;
  private final Consumer<JobResult> results;
  private final ScheduledExecutorService watchdog =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private Optional<TestProcess> open = Optional.empty();
  private int processes;

  /// @param name distinguishes the logs of lanes
  /// @param results takes the result of each job, from several lanes at once
  Lane(String name, JobQueue queue, TestProcess.Options options, Consumer<JobResult> results) {
    this.name = name;
    this.queue = queue;
    this.options = options;
    this.results = results;
  }

  @Override
  public void run() {
    try {
      var job = queue.next(Optional.empty());
      while (job.isPresent()) {
        results.accept(run(job.get()));
        job = queue.next(moduleOf(job.get()));
      }
    } finally {
      closeProcess();
      watchdog.shutdownNow();
    }
  }

  /// A lane keeps a module also where its JVM has ended.
  private static Optional<TestModule> moduleOf(Job job) {
    return switch (job) {
      case TestClass test -> Optional.of(test.module());
      case Command _ -> Optional.empty();
    };
  }

  private JobResult run(Job job) {
    return switch (job) {
      case TestClass test -> run(test);
      case Command command -> {
        closeProcess();
        yield CommandRun.run(command);
      }
    };
  }

  private JobResult run(TestClass test) {
    var start = System.nanoTime();
    try {
      var process = processOf(test.module());
      var cpu = ProcessTree.cpu(process.pid());
      var alarm = watchdog.schedule(process::abort, LIMIT.toSeconds(), TimeUnit.SECONDS);
      try {
        var result = process.run(test.className());
        var used = ProcessTree.cpu(process.pid()).minus(cpu);
        return new JobResult(test, result, since(start), used);
      } finally {
        alarm.cancel(false);
      }
    } catch (IOException e) {
      var log = open.map(TestProcess::log).map(file -> ", see " + file).orElse("");
      closeProcess();
      var what =
          since(start).compareTo(LIMIT) < 0
              ? "the JVM of the tests ended"
              : "the class took more than %d min, and its JVM was ended"
                  .formatted(LIMIT.toMinutes());
      var text = "%s%s: %s".formatted(what, log, e);
      var failure = ClassResult.failed(test.className(), text);
      return new JobResult(test, failure, since(start), Duration.ZERO);
    }
  }

  private TestProcess processOf(TestModule module) throws IOException {
    if (open.map(TestProcess::module).equals(Optional.of(module))) {
      return open.orElseThrow();
    }
    closeProcess();
    processes++;
    var process = TestProcess.start(module, name + "-" + processes, options);
    open = Optional.of(process);
    return process;
  }

  private void closeProcess() {
    open.ifPresent(TestProcess::close);
    open = Optional.empty();
  }

  static Duration since(long startNanos) {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }
}
