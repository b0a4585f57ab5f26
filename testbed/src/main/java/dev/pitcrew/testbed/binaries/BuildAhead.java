package dev.pitcrew.testbed.binaries;

import dev.pitcrew.testbed.TestbedException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/// Builds the programs of the test bed before they are needed. `build/programs` runs this source
/// file beside Maven, which has compiled nothing yet: the file and all that it refers to must do
/// with the JDK alone. A download is left to `testbed binaries`, which has a parser of JSON.
public final class BuildAhead {
  private static final int COULD_NOT = 1;
  private static final int WRONG_USAGE = 2;

  private BuildAhead() {}

  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments), new Log(System.err)));
  }

  private static int run(List<String> arguments, Progress log) {
    var wanted = wanted(arguments);
    if (wanted.isEmpty()) {
      log.line("usage: BuildAhead [--real-nodes] [--promtool] [--registry]");
      return WRONG_USAGE;
    }
    try {
      var cache = BinaryCache.ofThisUser();
      var makers = List.<BinarySource>of(new GoBuild("go", cache));
      var there =
          new BinaryMaker(InstalledBinaries.from(System.getenv()), cache, makers, log)
              .obtainAll(wanted.get());
      log.line("all " + there.size() + " are there");
      return 0;
    } catch (TestbedException e) {
      String.valueOf(e.getMessage()).lines().forEach(log::line);
      return COULD_NOT;
    }
  }

  private static Optional<Collection<Binary>> wanted(List<String> arguments) {
    var wanted = EnumSet.copyOf(Binary.FOR_SIMULATED_NODES);
    for (var argument : arguments) {
      switch (argument) {
        case "--real-nodes" -> wanted.addAll(Binary.FOR_REAL_NODES);
        case "--promtool" -> wanted.add(Binary.PROMTOOL);
        case "--registry" -> wanted.addAll(Binary.FOR_PUSHES);
        default -> {
          return Optional.empty();
        }
      }
    }
    return Optional.of(wanted);
  }

  /// Lines with a prefix, since Maven prints beside them, and few of them.
  private record Log(PrintStream out) implements Progress {
    @Override
    public void line(String line) {
      out.println("programs: " + line);
    }

    @Override
    public Duration period() {
      return Duration.ofSeconds(30);
    }
  }
}
