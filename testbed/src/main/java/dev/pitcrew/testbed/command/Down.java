package dev.pitcrew.testbed.command;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.command.Testbeds.Testbed;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "down", description = "Stop a test bed and return when nothing of it is left.")
final class Down implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "Which one; 'testbed list' shows them. Default: ${DEFAULT-VALUE}")
  private String name = "default";

  private final PrintWriter out;

  Down(PrintWriter out) {
    this.out = out;
  }

  @Override
  public Integer call() throws InterruptedException {
    var testbeds = Testbeds.ofThisUser();
    var directory = testbeds.directoryOf(name);
    var found = testbeds.all().stream().filter(t -> t.directory().equals(directory)).findFirst();
    if (found.isEmpty()) {
      out.println("No test bed '" + name + "' runs; nothing to stop.");
      return 0;
    }
    stop(found.get());
    out.println("Test bed '" + name + "' is gone.");
    return 0;
  }

  private static void stop(Testbed testbed) throws InterruptedException {
    var process = testbed.owner().process();
    if (process.isEmpty()) {
      WorkDirectory.at(testbed.directory()).close();
      return;
    }
    process.get().destroy();
    if (!ends(process.get())) {
      process.get().destroyForcibly();
      ends(process.get());
    }
    awaitRemoval(testbed);
  }

  private static boolean ends(ProcessHandle process) throws InterruptedException {
    try {
      process.onExit().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("wait for process " + process.pid(), e);
    }
  }

  /// The guards remove the folder after the process, within milliseconds.
  private static void awaitRemoval(Testbed testbed) throws InterruptedException {
    var end = System.nanoTime() + TIMEOUT.toNanos();
    while (Files.exists(testbed.directory())) {
      if (System.nanoTime() - end > 0) {
        throw new TestbedException(
            "process %d has ended, but %s is still there: look for processes that use it"
                .formatted(testbed.owner().pid(), testbed.directory()));
      }
      Thread.sleep(20);
    }
  }
}
