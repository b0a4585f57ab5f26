package dev.pitcrew.agent.command;

import dev.pitcrew.core.log.LogEncoder;
import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.core.log.Logging;
import dev.pitcrew.core.log.TimeEncoding;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;

/// Entry point of the node process.
public final class Main {
  private static final LogOptions FOR_PEOPLE =
      new LogOptions(LogEncoder.CONSOLE, TimeEncoding.ISO8601, Level.INFO);

  private Main() {}

  public static void main(String[] args) {
    Logging.configure(FOR_PEOPLE, Map::of);
    var stop = new StopSignal();
    var surroundings =
        new Surroundings(new NvmlReader(), System.getenv(), InstantSource.system(), stop);
    var ended = new CountDownLatch(1);
    var hook = Thread.ofPlatform().unstarted(() -> raiseAndWait(stop, ended));
    Runtime.getRuntime().addShutdownHook(hook);
    int exitCode;
    try {
      exitCode = PitcrewCommand.execute(surroundings, args);
    } finally {
      ended.countDown();
    }
    System.exit(exitCode);
  }

  /// The process ends with its shutdown hooks, so they wait for what still has to be put away.
  private static void raiseAndWait(StopSignal stop, CountDownLatch ended) {
    stop.raise();
    try {
      ended.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
