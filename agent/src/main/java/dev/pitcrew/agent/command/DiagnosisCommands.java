package dev.pitcrew.agent.command;

import dev.pitcrew.agent.command.AllowedCommands.Wanted;
import dev.pitcrew.agent.command.CommandEndpoint.Reply;
import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.process.AgentProcess.Known;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/// Carries out, in the agent's own process, the commands that only look: one at a time, for a
/// limited time, with what the agent knows of the GPUs. A command that changes something, or that
/// looks at anything but the agent's own node, is declined.
///
/// A GPU that hangs holds none of them up for long: the agent's view of the GPUs takes no call, and
/// what calls NVML is only carried out while all GPUs answer.
final class DiagnosisCommands {
  private static final Logger LOG = LoggerFactory.getLogger(DiagnosisCommands.class);
  private static final Reply DECLINED = new Reply.Declined();
  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private final AllowedCommands allowed;
  private final InstantSource clock;
  private final Map<String, String> environment;
  private final Supplier<Optional<Known>> known;
  private final Limits limits;
  private final AtomicReference<@Nullable Turn> turn = new AtomicReference<>();

  /// @param time for one command
  /// @param bytes of each of its outputs
  record Limits(Duration time, int bytes) {
    /// The gate waits for longer, and takes no longer an output.
    static final Limits USUAL = new Limits(Duration.ofSeconds(30), 1024 * 1024);
  }

  /// A command that is carried out.
  private record Turn(String command, long startNanos) {
    Duration taken() {
      return Duration.ofNanos(System.nanoTime() - startNanos);
    }
  }

  /// @param known what the agent knows at the moment
  DiagnosisCommands(
      AgentContext context,
      Map<String, String> environment,
      Supplier<Optional<Known>> known,
      Limits limits) {
    this.allowed = new AllowedCommands(context);
    this.clock = context.clock();
    this.environment = Map.copyOf(environment);
    this.known = known;
    this.limits = limits;
  }

  /// Carries out one command line, on a thread of its own: a command that is stuck keeps that
  /// thread and nothing else, and those that follow are declined.
  Reply reply(List<String> words) {
    String name = words.getFirst();
    if (!AllowedCommands.hasOne(name)) {
      return DECLINED;
    }
    var mine = new Turn("pitcrew " + name, System.nanoTime());
    Turn other = turn.compareAndExchange(null, mine);
    if (other != null) {
      return busy(other);
    }
    var reply = new AtomicReference<Reply>(DECLINED);
    Thread worker =
        Thread.ofPlatform().daemon().name("command").start(() -> takeTurn(words, reply));
    try {
      return worker.join(limits.time()) ? reply.get() : end(worker, mine);
    } catch (InterruptedException _) {
      worker.interrupt();
      Thread.currentThread().interrupt();
      return DECLINED;
    }
  }

  private void takeTurn(List<String> words, AtomicReference<Reply> reply) {
    try {
      reply.set(carryOut(words));
    } finally {
      turn.set(null);
    }
  }

  private Reply busy(Turn other) {
    return other.taken().compareTo(limits.time()) > 0
        ? DECLINED
        : failed("the agent carries out '%s' at the moment: try again".formatted(other.command()));
  }

  private Reply end(Thread worker, Turn mine) throws InterruptedException {
    worker.interrupt();
    boolean isOver = worker.join(FAREWELL);
    LOG.atWarn().addKeyValue("ended", isOver).log("{} took too long", mine.command());
    return failed(
        "%s took longer than %d s and was ended: a GPU, a disk or the container runtime does not answer; the GPUNode says which GPUs do not"
            .formatted(mine.command(), limits.time().toSeconds()));
  }

  private static Reply failed(String why) {
    return new Reply.Done(PitcrewCommand.FAILED, bytes(why + "\n"), bytes(""));
  }

  private static ByteBuffer bytes(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  /// An [Error] ends the process, as on any thread.
  private Reply carryOut(List<String> words) {
    try {
      return known.get().map(now -> carryOut(words, now)).orElse(DECLINED);
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a command failed");
      return DECLINED;
    }
  }

  private Reply carryOut(List<String> words, Known now) {
    var output = new Captured(limits.bytes());
    var errors = new Captured(limits.bytes());
    CommandLine line =
        PitcrewCommand.create(surroundings(now))
            .setOut(new PrintWriter(output, true, StandardCharsets.UTF_8))
            .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
            .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF));
    return allowed
        .wanted(line, words, now)
        .flatMap(
            it -> it.callsNvml() ? executeBeside(now, line, it) : Optional.of(execute(line, it)))
        .filter(_ -> !output.isFull() && !errors.isFull())
        .<Reply>map(exitCode -> new Reply.Done(exitCode, errors.bytes(), output.bytes()))
        .orElse(DECLINED);
  }

  private static int execute(CommandLine line, Wanted wanted) {
    return line.execute(wanted.words().toArray(String[]::new));
  }

  /// Is counted before it asks: an agent that is to close NVML sees the count, or this sees that
  /// NVML is no longer lent.
  private Optional<Integer> executeBeside(Known agent, CommandLine line, Wanted wanted) {
    try (var _ = agent.use().claim()) {
      return lendsDriver() ? Optional.of(execute(line, wanted)) : Optional.empty();
    }
  }

  private boolean lendsDriver() {
    return known.get().filter(Known::lendsDriver).isPresent();
  }

  private Surroundings surroundings(Known now) {
    return new Surroundings(
        _ -> reading(now.snapshot()),
        environment,
        clock,
        new StopSignal(),
        new ReloadSignal(),
        now.use());
  }

  private static Reading reading(NodeSnapshot snapshot) {
    return switch (snapshot) {
      case NodeSnapshot.WithDriver(var gpus, _, _, _) -> new Reading.Read(asRead(gpus));
      case NodeSnapshot.WithoutDriver(var reason, _) -> new Reading.NoDriver(reason);
    };
  }

  /// As NVML shows it: what no longer answers is not listed as it was.
  private static Inventory asRead(KnownGpus known) {
    Inventory all = known.inventory();
    Map<String, String> silent = known.unanswered();
    return new Inventory(
        all.driver(),
        all.gpus().stream().filter(gpu -> !silent.containsKey(gpu.uuid())).toList(),
        Stream.concat(
                all.unreadable().stream(),
                all.gpus().stream()
                    .filter(gpu -> silent.containsKey(gpu.uuid()))
                    .map(gpu ->
                        new UnreadableGpu(
                            gpu.index(),
                            Objects.requireNonNull(silent.get(gpu.uuid())),
                            known.lost().contains(gpu.uuid()))))
            .toList(),
        all.topology());
  }

  /// Keeps an output as long as it may be.
  private static final class Captured extends OutputStream {
    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean isFull;

    Captured(int limit) {
      this.limit = limit;
    }

    @Override
    public void write(int single) {
      write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] from, int start, int length) {
      isFull |= length > limit - kept.size();
      if (!isFull) {
        kept.write(from, start, length);
      }
    }

    boolean isFull() {
      return isFull;
    }

    ByteBuffer bytes() {
      return ByteBuffer.wrap(kept.toByteArray());
    }
  }
}
