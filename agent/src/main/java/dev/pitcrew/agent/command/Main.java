package dev.pitcrew.agent.command;

import dev.pitcrew.core.log.LogEncoder;
import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.core.log.Logging;
import dev.pitcrew.core.log.TimeEncoding;
import java.time.InstantSource;
import java.util.Map;
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
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(stop::raise));
    System.exit(PitcrewCommand.execute(surroundings, args));
  }
}
