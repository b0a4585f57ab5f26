package dev.pitcrew.agent.command;

import dev.pitcrew.core.log.LogEncoder;
import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.core.log.Logging;
import dev.pitcrew.core.log.TimeEncoding;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import org.slf4j.LoggerFactory;

/// Entry point of the node process.
public final class Main {
  private static final LogOptions FOR_PEOPLE =
      new LogOptions(LogEncoder.CONSOLE, TimeEncoding.ISO8601, Level.INFO);

  /// That of `-XX:+ExitOnOutOfMemoryError`. The gate starts a program again after it; the statuses
  /// of sysexits.h are final there (native/gate/exits.h).
  static final int AFTER_ERROR = 3;

  private Main() {}

  public static void main(String[] args) {
    HeadStart.begin(args);
    Logging.configure(FOR_PEOPLE, Map::of);
    endOnErrors();
    var stop = new StopSignal();
    var reload = new ReloadSignal();
    HangUp.handle(reload::raise);
    var surroundings =
        new Surroundings(new NvmlReader(), System.getenv(), InstantSource.system(), stop, reload);
    var ended = new CompletableFuture<Integer>();
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> end(stop, ended)));
    int exitCode = PitcrewCommand.FAILED;
    try {
      exitCode = PitcrewCommand.execute(surroundings, args);
    } finally {
      ended.complete(exitCode);
    }
    System.exit(exitCode);
  }

  /// Ends the process at an [Error] that no thread handles. The thread that it ended would be
  /// missed by nothing: an agent without its watch of the GPUs offers those that fail, and says
  /// that it is ready. The gate starts it again.
  static void endOnErrors() {
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
      try {
        LoggerFactory.getLogger(Main.class)
            .atError()
            .setCause(thrown)
            .log("thread {} failed", thread.getName());
      } finally {
        if (thrown instanceof Error) {
          Runtime.getRuntime().halt(AFTER_ERROR);
        }
      }
    });
  }

  /// The process ends with its shutdown hooks, so this one waits for what still has to be put away.
  /// NVIDIA's programs exit with 0 on a signal to end; on its own, the JVM would return 143.
  private static void end(StopSignal stop, CompletableFuture<Integer> ended) {
    stop.raise();
    Runtime.getRuntime().halt(ended.join());
  }
}
