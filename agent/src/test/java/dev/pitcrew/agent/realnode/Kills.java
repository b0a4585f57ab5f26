package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;

/// What tests that kill the agent of a node have in common: how it dies, how what comes after is
/// waited for, and the table of what was survived. The agent that recovers from one kill is killed
/// at the next point, so that most points take one start.
final class Kills {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final GpuNode node;
  private final AgentOnNode agent;
  private final KillSwitch killSwitch;
  private final Instant began = Instant.now();
  private final List<String> survived = new ArrayList<>();
  private Optional<GuardedProcess> running = Optional.empty();

  /// @param places all at which it is killed, as [KillAgent] takes them
  Kills(GpuNode node, AgentOnNode agent, Collection<String> places) {
    this.node = node;
    this.agent = agent;
    this.killSwitch = KillSwitch.of(places, node.jvm());
  }

  /// Starts an agent that runs on until a place is armed.
  GuardedProcess begin() {
    killSwitch.disarm();
    return start();
  }

  /// Starts an agent that dies at a place.
  DoomedAgent begin(String place) {
    killSwitch.arm(place);
    return new DoomedAgent(start(), place);
  }

  /// Has the agent that runs die at a place.
  DoomedAgent arm(String place) {
    GuardedProcess process = running.orElseThrow();
    assertThat(process.isAlive()).as(process.logTail()).isTrue();
    killSwitch.arm(place);
    return new DoomedAgent(process, place);
  }

  private GuardedProcess start() {
    var started = agent.begin("pitcrew-agent", killSwitch.surroundings());
    running = Optional.of(started);
    return started;
  }

  /// Waits for claims to hold; else their failure comes with the agent's last words.
  void soon(String what, ThrowingRunnable claims) {
    try {
      await(what)
          .atMost(LIMIT)
          .untilAsserted(() -> {
            try {
              claims.run();
            } catch (AssertionError e) {
              throw new AssertionError(e.getMessage() + "\n" + agent.lastOutput(), e);
            }
          });
    } catch (ConditionTimeoutException e) {
      e.addSuppressed(new AssertionError(threads()));
      throw e;
    }
  }

  /// What the threads of the agent do; its virtual ones are in no dump that a signal makes.
  private String threads() {
    Path dump = killSwitch.folder().resolve("threads");
    var jcmd = Path.of(System.getProperty("java.home", ""), "bin", "jcmd").toString();
    return ProcessHandle.allProcesses()
        .filter(killSwitch::isOf)
        .map(process -> Long.toString(process.pid()))
        .map(process ->
            CommandRun.of(
                List.of(jcmd, process, "Thread.dump_to_file", "-overwrite", dump.toString()),
                killSwitch.folder()))
        .map(run -> run.succeeded() ? text(dump) : run.output())
        .collect(Collectors.joining("\n", "threads of the agent:\n", ""));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  void survived(String row) {
    survived.add(row);
  }

  List<String> soFar() {
    return survived;
  }

  /// Prints the table.
  void assertSurvived(int rows) {
    System.out.println(survived.size() + " kill points were hit:\n" + String.join("\n", survived));
    assertThat(survived).hasSize(rows);
  }

  /// The agents of the test have made no other kind of write to the API server than these, after
  /// each of which there is a kill point.
  ///
  /// @param killed verb and resource of each
  void assertNoOtherWrites(Collection<String> killed) {
    assertThat(new TreeSet<>(writesSince(began))).isNotEmpty().isSubsetOf(killed);
  }

  /// Verb and resource of each write that the API server did for the agent, by its own word.
  List<String> writesSince(Instant time) {
    return node.controlPlane().auditLog().requestsOf(agent.user()).stream()
        .filter(AuditLog.Request::isMutating)
        .filter(request -> request.received().isAfter(time) && request.status() < 300)
        .map(request -> request.verb() + " " + request.resource())
        .toList();
  }

  static long millisSince(long nanoTime) {
    return Duration.ofNanos(System.nanoTime() - nanoTime).toMillis();
  }
}
