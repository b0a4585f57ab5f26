package dev.pitcrew.agent.command;

import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.core.log.Logging;
import java.time.InstantSource;
import java.util.Map;

/// Entry point of the node process.
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Logging.configure(LogOptions.development(), Map::of);
    var stop = new StopSignal();
    var surroundings =
        new Surroundings(new NvmlReader(), System.getenv(), InstantSource.system(), stop);
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(stop::raise));
    System.exit(PitcrewCommand.execute(surroundings, args));
  }
}
