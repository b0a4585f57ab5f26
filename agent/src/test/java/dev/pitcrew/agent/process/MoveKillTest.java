package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Test budget 180 s: a round trip for each step at which the agent is killed.
/// A node moves from the device plugin to claims and back, and its agent is killed after any step:
/// every GPU is published by one of them in the end, and never by both. One GPU has a pod of the
/// device plugin throughout, one a claim from its prepare to its unprepare.
class MoveKillTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final int OF_POD = 0;
  private static final int OF_CLAIM = 2;
  private static final Set<Integer> ALL = Set.of(0, 1, 2);
  private static final long BETWEEN_LOOKS_SECONDS = 31;

  @TempDir private Path folder;
  private MoveNode node;

  @BeforeEach
  void start() throws IOException {
    node = new MoveNode(folder, ALL.size());
  }

  @AfterEach
  void end() throws IOException {
    node.close();
  }

  /// One round trip of the node, in which the agent is killed once.
  private final class RoundTrip {
    private final String fatal;
    private final List<String> steps = new ArrayList<>();
    private final List<String> breaches = new ArrayList<>();
    private final Map<String, String> last = new TreeMap<>();
    private MovingAgent agent;
    private String killedAfter = "";
    private long killedNanos;
    private String recovery = "";

    /// @param fatal the step after which it is killed, by its name: what the kubelet and the API
    ///   server have comes in no certain order; empty for none
    RoundTrip(String fatal) throws IOException, InterruptedException {
      this.fatal = fatal;
      agent = node.start(this::step);
    }

    private synchronized void step(String what, String now) {
      if (now.equals(last.put(what, now))) {
        return;
      }
      String step = what + " " + now;
      steps.add(steps.contains(step) ? step + " again" : step);
      if (killedAfter.isEmpty() && steps.getLast().equals(fatal)) {
        killedAfter = steps.getLast();
        throw new MovingAgent.Killed();
      }
    }

    /// Runs the agent until the GPUs are published as they should be.
    ///
    /// @param phase for messages
    void until(String phase, Set<Integer> offered, Set<Integer> sliced) {
      await(phase)
          .atMost(LIMIT)
          .pollInSameThread()
          .pollInterval(PAUSE)
          .untilAsserted(() -> {
            round();
            assertThat(node.offered()).as("device plugin; %s", agent).isEqualTo(offered);
            assertThat(node.sliced()).as("ResourceSlices; %s", agent).isEqualTo(sliced);
          });
      if (recovery.isEmpty() && !killedAfter.isEmpty()) {
        recovery =
            "%s in %d ms, published by %s"
                .formatted(phase, (System.nanoTime() - killedNanos) / 1_000_000, publishers());
      }
    }

    private String publishers() {
      var by = new TreeMap<Integer, String>();
      ALL.forEach(gpu -> by.put(gpu, "neither, a claim has it"));
      node.sliced().forEach(gpu -> by.put(gpu, "claims"));
      try {
        node.offered().forEach(gpu -> by.put(gpu, "device plugin"));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return by.toString();
    }

    private void round() throws IOException, InterruptedException {
      try {
        agent.say(node.node(), node.settings());
        for (MovingAgent.Part part : MovingAgent.Part.values()) {
          agent.run(part);
          noteBreaches();
        }
      } catch (MovingAgent.Killed _) {
        replace();
      }
      node.pass(BETWEEN_LOOKS_SECONDS);
    }

    private void replace() throws IOException, InterruptedException {
      killedNanos = System.nanoTime();
      agent.end();
      node.forgetOffer();
      agent = node.start(this::step);
    }

    /// What holds at any moment, and not only in the end.
    private void noteBreaches() throws InterruptedException {
      SortedSet<Integer> sliced = node.sliced();
      var both = new TreeSet<>(node.offered());
      both.retainAll(sliced);
      if (!both.isEmpty()) {
        breaches.add("%s published by both after %s".formatted(both, steps));
      }
      if (sliced.contains(OF_POD)) {
        breaches.add("GPU of a pod published for claims after %s".formatted(steps));
      }
    }

    /// As the kubelet does, until it succeeds.
    void call(String what, Supplier<Optional<String>> call) {
      await(what)
          .atMost(LIMIT)
          .pollInSameThread()
          .pollInterval(PAUSE)
          .untilAsserted(() -> {
            Optional<String> problem = call.get();
            try {
              agent.live();
            } catch (MovingAgent.Killed _) {
              replace();
            }
            round();
            assertThat(problem).isEmpty();
          });
    }

    void play() throws IOException {
      until("at the start", ALL, Set.of());
      node.pod("holder", OF_POD);
      node.serve(true);
      until("with claims", Set.of(OF_POD), Set.of(1, OF_CLAIM));
      String uid = node.allocate("training", OF_CLAIM);
      call("prepare", () -> node.prepare("training", uid));
      assertPrepared(uid);
      node.serve(false);
      until("on the way back", Set.of(OF_POD, 1), Set.of());
      assertPrepared(uid);
      call("prepare again, for another pod", () -> node.prepare("training", uid));
      call("unprepare", () -> node.unprepare("training", uid));
      node.deallocate("training");
      until("back", ALL, Set.of());
      node.endPod("holder");
      assertThat(breaches).isEmpty();
      assertThat(node.checkpoint()).as("claims in the checkpoint").isEmpty();
      assertThat(node.specifications()).as("claims with a CDI file").isEmpty();
      assertThat(node.allocated()).as("claims on the API server").isEmpty();
    }

    private void assertPrepared(String uid) throws IOException {
      assertThat(node.allocated()).containsExactly(uid);
      assertThat(node.specifications()).containsExactly(uid);
      JsonNode claims = node.checkpoint();
      assertThat(claims).hasSize(1);
      assertThat(claims.path(uid).path("checkpointState").asText()).isEqualTo("PrepareCompleted");
      assertThat(claims.findValuesAsText("DeviceName")).containsExactly("gpu-" + OF_CLAIM);
    }
  }

  private RoundTrip played(boolean isFirst, String fatal) throws IOException, InterruptedException {
    if (isFirst) {
      node.forgetSides();
    }
    var trip = new RoundTrip(fatal);
    trip.play();
    trip.agent.end();
    node.forgetOffer();
    return trip;
  }

  /// @param isFirst whether claims have never served the node before
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyGpuIsPublishedOnce_whateverStepTheAgentIsKilledAfter(boolean isFirst) throws Exception {
    played(isFirst, "");
    RoundTrip undisturbed = played(isFirst, "");
    var killedAfter = new ArrayList<String>();
    for (String fatal : undisturbed.steps) {
      RoundTrip trip = played(isFirst, fatal);
      killedAfter.add(trip.killedAfter);
      System.out.printf("killed after %-80s: %s%n", trip.killedAfter, trip.recovery);
    }
    assertThat(killedAfter).isEqualTo(undisturbed.steps);
  }
}
