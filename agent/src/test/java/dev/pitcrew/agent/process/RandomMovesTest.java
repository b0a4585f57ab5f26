package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.junit.Soak;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Test budget 240 s: a thousand moves, each of some reconciles, writes and calls of the kubelet.
/// A node moves between the device plugin and claims again and again, while a kubelet and a
/// scheduler with stale lists give its GPUs to pods and claims, and the agent is killed: no GPU is
/// held by a pod and by a claim at once.
class RandomMovesTest {
  private static final int GPUS = 3;
  private static final int ACTIONS_OF_A_MOVE = 15;
  private static final int KILLED_ONE_IN = 60;
  private static final int MOVES_OF_A_NODE = 100;

  @TempDir private Path folder;

  private static final class History {
    private final Random random;
    private final MoveNode node;
    private MovingAgent agent;
    private final Map<Integer, String> pods = new HashMap<>();
    private final Map<String, Integer> claims = new HashMap<>();
    private final Map<String, String> uids = new HashMap<>();
    private final Set<String> prepared = new HashSet<>();
    private Set<Integer> schedulersList = Set.of();
    private Set<Integer> kubeletsList = Set.of();
    private final List<String> done = new ArrayList<>();
    private int number;
    private int kills;
    private int heldByPods;
    private int heldByClaims;

    History(long seed, MoveNode node) throws IOException, InterruptedException {
      this.random = new Random(seed);
      this.node = node;
      agent = node.start(this::step);
    }

    private synchronized void step(String what, String now) {
      if (random.nextInt(KILLED_ONE_IN) == 0) {
        throw new MovingAgent.Killed();
      }
    }

    private void act() throws IOException, InterruptedException {
      int gpu = random.nextInt(GPUS);
      switch (random.nextInt(12)) {
        case 0 -> kubeletsList = new TreeSet<>(node.offered());
        case 1 -> schedulersList = new TreeSet<>(node.sliced());
        case 2 -> startPod(gpu);
        case 3 -> endPod(gpu);
        case 4 -> allocate(gpu);
        case 5 -> prepare();
        case 6 -> endClaim();
        case 7 -> node.pass(random.nextInt(40));
        default -> reconcile();
      }
      var twice = new TreeSet<>(pods.keySet());
      twice.retainAll(prepared.stream().map(claims::get).toList());
      assertThat(twice).as("held twice after %s", done).isEmpty();
    }

    private void startPod(int gpu) {
      if (kubeletsList.contains(gpu) && !pods.containsKey(gpu) && node.agrees(gpu)) {
        pods.put(gpu, "pod-" + number++);
        node.pod(pods.get(gpu), gpu);
        heldByPods++;
        done.add("pod on " + gpu);
      }
    }

    private void endPod(int gpu) {
      String pod = pods.remove(gpu);
      if (pod != null) {
        node.endPod(pod);
        done.add("no pod on " + gpu);
      }
    }

    private void allocate(int gpu) {
      if (schedulersList.contains(gpu) && !claims.containsValue(gpu)) {
        String claim = "claim-" + number++;
        uids.put(claim, node.allocate(claim, gpu));
        claims.put(claim, gpu);
        done.add(claim + " on " + gpu);
      }
    }

    private void prepare() throws IOException, InterruptedException {
      for (String claim : List.copyOf(claims.keySet())) {
        if (!prepared.contains(claim)
            && node.prepare(claim, uids.getOrDefault(claim, "")).isEmpty()) {
          prepared.add(claim);
          heldByClaims++;
          done.add(claim + " prepared");
        }
        replaceIfKilled();
      }
    }

    private void endClaim() throws IOException, InterruptedException {
      for (String claim : List.copyOf(claims.keySet())) {
        boolean isOver = node.unprepare(claim, uids.getOrDefault(claim, "")).isEmpty();
        replaceIfKilled();
        if (isOver) {
          node.deallocate(claim);
          prepared.remove(claim);
          claims.remove(claim);
          done.add("no " + claim);
        }
      }
    }

    private void reconcile() throws IOException, InterruptedException {
      var parts = MovingAgent.Part.values();
      try {
        agent.say(node.node(), node.settings());
        agent.run(parts[random.nextInt(parts.length)]);
      } catch (MovingAgent.Killed _) {
        replace();
      }
    }

    private void replaceIfKilled() throws IOException, InterruptedException {
      try {
        agent.live();
      } catch (MovingAgent.Killed _) {
        replace();
      }
    }

    private void replace() throws IOException, InterruptedException {
      kills++;
      done.add("killed");
      agent.end();
      node.forgetOffer();
      agent = node.start(this::step);
    }

    void play(int moves) throws IOException, InterruptedException {
      for (int move = 0; move < moves; move++) {
        node.serve(!node.isByClaims());
        done.add("by claims " + node.isByClaims());
        for (int action = 0; action < ACTIONS_OF_A_MOVE; action++) {
          act();
        }
      }
      agent.end();
    }
  }

  @Test
  void noGpuIsHeldByAPodAndAClaim() throws Exception {
    int moves = Soak.amount(1000, 10_000);
    int pods = 0;
    int claims = 0;
    for (int played = 0; played < moves; played += MOVES_OF_A_NODE) {
      long seed = new Random().nextLong();
      try (var node = new MoveNode(folder.resolve("" + played), GPUS)) {
        var history = new History(seed, node);
        history.play(MOVES_OF_A_NODE);
        System.out.printf(
            "%d moves with seed %d: %d pods and %d claims held a GPU, %d kills, none held twice%n",
            MOVES_OF_A_NODE, seed, history.heldByPods, history.heldByClaims, history.kills);
        pods += history.heldByPods;
        claims += history.heldByClaims;
      }
    }
    assertThat(pods).as("pods that held a GPU").isPositive();
    assertThat(claims).as("claims that held a GPU").isPositive();
  }
}
