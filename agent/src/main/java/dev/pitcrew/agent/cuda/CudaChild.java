package dev.pitcrew.agent.cuda;

import dev.pitcrew.agent.cuda.ContainerMemory.Room;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.Crashed;
import dev.pitcrew.hardware.cuda.CudaOutcome.NotChecked;
import dev.pitcrew.hardware.driver.CudaFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One check in a process of its own, which ends with this one at the latest: it reads the end of
/// its standard input.
final class CudaChild {
  private static final Logger LOG = LoggerFactory.getLogger(CudaChild.class);

  /// As small as a JVM gets; a crash leaves neither a report nor a core file behind.
  private static final List<String> FLAGS =
      List.of(
          "-Xms4m",
          "-Xmx16m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:-CreateCoredumpOnCrash",
          "-XX:ErrorFile=/dev/null",
          "-XX:-UsePerfData",
          "--enable-native-access=ALL-UNNAMED");

  /// Variables that would change the driver's doing, or the JVM's.
  private static final Set<String> WITHHELD =
      Set.of(
          "JAVA_TOOL_OPTIONS",
          "JDK_JAVA_OPTIONS",
          "LD_PRELOAD",
          "CUDA_DISABLE_PTX_JIT",
          "CUDA_MPS_PIPE_DIRECTORY");

  /// What a check takes of the container: 114 MiB were measured for the first context of a process
  /// that sees one GPU (pytorch/pytorch issue 113326), the JVM takes some 40.
  private static final long NEEDED = 192L << 20;

  private static final long MIB = 1L << 20;

  /// To which a limit is rounded up.
  private static final long STEP = 64 * MIB;

  /// Of a process that was ended by KILL.
  private static final int KILLED = 128 + 9;

  /// Of a JVM that the kernel refuses memory.
  private static final String NO_MEMORY = "There is insufficient memory for the Java Runtime";

  private static final int OUTPUT_BYTES = 64 * 1024;
  private static final int LAST_WORDS = 200;
  private static final String FRAME = "# Problematic frame:";

  /// The children that live on though they were killed, which only the kernel can do: a second one
  /// would hang as well.
  private static final Map<String, Process> HANGING = new ConcurrentHashMap<>();

  private CudaChild() {}

  /// Waits for the end of the check, at most for the deadline; interrupted, it ends the check.
  static CudaOutcome check(
      CudaTarget target, CudaFolder cuda, Duration deadline, ContainerMemory memory)
      throws IOException, InterruptedException {
    HANGING.values().removeIf(killed -> !killed.isAlive());
    if (HANGING.containsKey(target.uuid())) {
      return new CudaOutcome.Unanswered(deadline);
    }
    Optional<Room> room = memory.room();
    Optional<NotChecked> shortage = shortage(room, memory);
    if (shortage.isPresent()) {
      return shortage.get();
    }
    OptionalLong endedBefore = memory.ended();
    Process child = builder(target, cuda).start();
    try {
      yieldMemoryFirst(child);
      CudaOutcome outcome = outcome(child, deadline);
      return outcome instanceof Crashed crashed
          ? judged(crashed, room, endedBefore, memory.ended())
          : outcome;
    } finally {
      kill(target, child);
    }
  }

  /// Whether a process is a check, be it of an earlier agent, or is ending: such a one has no
  /// command line any more.
  ///
  /// @param processId as this process sees it
  static boolean isCheck(long processId) {
    try {
      byte[] words = Files.readAllBytes(Path.of("/proc/" + processId + "/cmdline"));
      var line = new String(words, StandardCharsets.ISO_8859_1);
      return line.isEmpty() || line.contains(OneGpu.class.getName());
    } catch (IOException _) {
      return false;
    }
  }

  private static Optional<NotChecked> shortage(Optional<Room> room, ContainerMemory memory) {
    Optional<Room> narrow = room.filter(it -> it.left() < NEEDED);
    if (narrow.isPresent()) {
      return narrow.map(it ->
          new NotChecked(
              "a check takes up to %d MiB of memory, and the limit of %d MiB leaves less"
                  .formatted(NEEDED / MIB, it.limit() / MIB),
              moreThan(it.limit() - it.left())));
    }
    return memory
        .endOneAlone()
        .map(why ->
            new NotChecked("a check that runs out of memory would end the agent with it: " + why));
  }

  /// @param used how much of the container's memory is not for the check
  private static String moreThan(long used) {
    long wanted = Math.ceilDiv(used + NEEDED, STEP) * STEP / MIB;
    return "set spec.agent.resources.limits.memory of the FleetPolicy to %dMi, or WITH_WORKLOAD to false in spec.validator.cuda.env of the ClusterPolicy"
        .formatted(wanted);
  }

  /// A check that the kernel or a person has ended says nothing of its GPU.
  ///
  /// @param before how many processes the kernel had ended for want of memory
  private static CudaOutcome judged(
      Crashed crashed, Optional<Room> room, OptionalLong before, OptionalLong after) {
    boolean isKilled = crashed.exitCode() == KILLED;
    boolean isCounted = isKilled && after.isPresent() && !after.equals(before);
    if (isCounted || crashed.lastOutput().contains(NO_MEMORY)) {
      return new NotChecked(
          "the check ran out of memory",
          room.map(it -> moreThan(it.limit())).orElse("free memory of the node"));
    }
    return isKilled ? new NotChecked("the check was killed by another process") : crashed;
  }

  private static CudaOutcome outcome(Process child, Duration deadline) throws InterruptedException {
    var output = new Output(child.getInputStream());
    Thread reader = Thread.ofVirtual().name("cuda-check").start(output);
    if (!child.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
      return new CudaOutcome.Unanswered(deadline);
    }
    reader.join(Duration.ofSeconds(1));
    String text = output.text();
    return OutcomeLine.read(text).orElseGet(() -> new Crashed(child.exitValue(), lastOutput(text)));
  }

  private static ProcessBuilder builder(CudaTarget target, CudaFolder cuda) {
    var java = Path.of(System.getProperty("java.home", ""), "bin", "java").toString();
    List<String> call =
        List.of(
            "-cp",
            System.getProperty("java.class.path", ""),
            OneGpu.class.getName(),
            cuda.library(),
            target.uuid());
    var builder =
        new ProcessBuilder(Stream.of(List.of(java), FLAGS, call).flatMap(List::stream).toList())
            .redirectErrorStream(true);
    builder.environment().keySet().removeAll(WITHHELD);
    builder.environment().put("CUDA_VISIBLE_DEVICES", target.uuid());
    builder.environment().put("CUDA_CACHE_DISABLE", "1");
    cuda.searchPath()
        .ifPresent(path -> builder.environment().put("LD_LIBRARY_PATH", path.toString()));
    return builder;
  }

  /// libcuda takes memory of the host; where a container runs out of it, the check is to go, and
  /// not the agent.
  private static void yieldMemoryFirst(Process child) {
    try {
      Files.writeString(Path.of("/proc/" + child.pid() + "/oom_score_adj"), "1000");
    } catch (IOException e) {
      LOG.atDebug().log("the check is not the first to yield memory: {}", e.toString());
    }
  }

  private static void kill(CudaTarget target, Process child) {
    child.destroyForcibly();
    if (child.isAlive()) {
      HANGING.put(target.uuid(), child);
    }
  }

  /// Of a JVM's report the line that names the function, else the end of the output.
  private static String lastOutput(String output) {
    int frame = output.indexOf(FRAME);
    String words =
        frame < 0
            ? output.strip()
            : output.substring(frame + FRAME.length()).strip().lines().findFirst().orElse("");
    String line = words.replaceAll("\\p{Cntrl}+", " ").strip();
    return line.length() <= LAST_WORDS ? line : line.substring(line.length() - LAST_WORDS);
  }

  /// What the child writes, up to a limit.
  private static final class Output implements Runnable {
    private final InputStream stream;
    private volatile String text = "";

    Output(InputStream stream) {
      this.stream = stream;
    }

    @Override
    public void run() {
      try {
        text = new String(stream.readNBytes(OUTPUT_BYTES), StandardCharsets.UTF_8);
      } catch (IOException _) {
        // A killed child says nothing more.
      }
    }

    String text() {
      return text;
    }
  }
}
