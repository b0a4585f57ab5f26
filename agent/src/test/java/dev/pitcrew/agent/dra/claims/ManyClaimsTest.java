package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Kubelet's calls overlap: no claim is lost, and no device has two owners.
class ManyClaimsTest {
  private static final int THREADS = 32;
  private static final int CLAIMS = 1000;

  @TempDir private Path folder;

  /// Each second claim has admin access and stays; the others go as soon as they are prepared.
  @Test
  void thousandClaimsOfThirtyTwoThreadsAreAllKept() throws Exception {
    TestNode node = TestNode.withGpus(folder, THREADS);
    var preparer = node.preparer(new FeatureSwitches(false, false, false), (_, _) -> {}, _ -> {});
    var staying = new ConcurrentSkipListSet<String>();
    var next = new AtomicInteger();
    var times = new ArrayList<Long>();

    concurrently(() -> {
      for (int i = next.getAndIncrement(); i < CLAIMS; i = next.getAndIncrement()) {
        String uid = "claim-%04d".formatted(i);
        boolean stays = i % 2 == 0;
        ClaimObject claim = TestClaim.of(uid, "gpu-" + i % THREADS, "", stays);
        long start = System.nanoTime();
        PrepareOutcome outcome = preparer.prepare(claim, node.devices());
        synchronized (times) {
          times.add(System.nanoTime() - start);
        }
        switch (outcome) {
          case PrepareOutcome.Prepared(var devices) -> {
            assertThat(devices)
                .singleElement()
                .satisfies(it -> assertThat(it.cdiIds().getFirst()).contains(uid));
            if (stays) {
              staying.add(uid);
            } else {
              assertThat(preparer.unprepare(uid)).isEqualTo(new UnprepareOutcome.Unprepared());
            }
          }
          case PrepareOutcome.Refused(var reason) ->
              assertThat(reason).contains("is in use by another claim");
          case PrepareOutcome.NotReady(var reason) -> throw new AssertionError(reason);
          case PrepareOutcome.Failed(var reason) -> throw new AssertionError(reason);
        }
      }
      return true;
    });

    assertThat(staying).hasSize(CLAIMS / 2);
    assertThat(preparer.claims().keySet()).isEqualTo(staying);
    assertThat(node.preparer().claims().keySet()).as("on the disk").isEqualTo(staying);
    assertThat(claimsWithFiles(node)).isEqualTo(staying);
    List<Long> sorted = times.stream().sorted().toList();
    System.out.printf(
        "%d claims of %d threads: p50 %d us, p99 %d us%n",
        times.size(),
        THREADS,
        sorted.get(sorted.size() / 2) / 1000,
        sorted.get(sorted.size() * 99 / 100) / 1000);
  }

  @Test
  void oneOfThirtyTwoClaimsGetsTheDevice() throws Exception {
    TestNode node = TestNode.withGpus(folder, 1);
    var preparer = node.preparer(new FeatureSwitches(false, false, false), (_, _) -> {}, _ -> {});
    var prepared = new AtomicInteger();
    var next = new AtomicInteger();

    concurrently(() -> {
      var claim = TestClaim.of("claim-" + next.getAndIncrement(), "gpu-0", "", false);
      if (preparer.prepare(claim, node.devices()) instanceof PrepareOutcome.Prepared) {
        prepared.incrementAndGet();
      }
      return true;
    });

    assertThat(prepared).hasValue(1);
    assertThat(preparer.claims()).hasSize(1);
  }

  @Test
  void locksOfClaimsThatAreGoneTakeNoMemory() {
    var locks = new KeyedLocks();
    try (var _ = locks.take(List.of("b", "a", "a"))) {
      try (var _ = locks.take(List.of("a"))) {
        assertThat(locks.size()).isEqualTo(2);
      }
    }
    assertThat(locks.size()).isZero();
  }

  private static void concurrently(Callable<Boolean> task) throws Exception {
    try (var threads = Executors.newFixedThreadPool(THREADS)) {
      for (var result :
          threads.invokeAll(IntStream.range(0, THREADS).mapToObj(_ -> task).toList())) {
        assertThat(result.get()).isTrue();
      }
    }
  }

  private static Set<String> claimsWithFiles(TestNode node) throws IOException {
    try (Stream<Path> files = Files.list(node.cdi())) {
      return files
          .map(it -> it.getFileName().toString())
          .map(it -> it.replace("k8s.gpu.nvidia.com-claim_", "").replace(".yaml", ""))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
