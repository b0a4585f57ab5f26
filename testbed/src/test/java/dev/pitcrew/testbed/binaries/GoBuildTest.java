package dev.pitcrew.testbed.binaries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GoBuildTest {
  private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
  @TempDir private Path folder;
  private StandInGo go = new StandInGo(Path.of(""));

  @BeforeEach
  void makeStandIn() throws IOException {
    go = StandInGo.in(folder.resolve("go"), ":");
  }

  @Test
  void programsOfOneModuleAreOneBuild() throws IOException {
    var paths = binaries().resolveAll(Binary.FOR_CONTROL_PLANE);

    assertThat(paths).containsOnlyKeys(Binary.FOR_CONTROL_PLANE);
    assertThat(paths.values()).allSatisfy(path -> assertThat(path).isExecutable());
    assertThat(go.builds()).hasSize(2);
    assertThat(go.builds().getFirst()).endsWith("/etcd .");
    assertThat(go.builds().getLast())
        .endsWith(
            "/ k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager"
                + " k8s.io/kubernetes/cmd/kube-scheduler");
  }

  @Test
  void programsInTheCacheAreNotBuiltAgain() throws IOException {
    binaries().resolve(Binary.KUBE_SCHEDULER);

    binaries().resolveAll(Binary.FOR_CONTROL_PLANE);

    assertThat(go.builds()).hasSize(3);
    assertThat(go.builds().getLast()).doesNotContain("kube-scheduler");
  }

  @Test
  void progressCountsProgramsAndPackages() {
    binaries().resolveAll(Binary.FOR_SIMULATED_NODES);

    assertThat(lines)
        .first()
        .asString()
        .startsWith("6 missing, to be made once; a build with Go takes up to 8 min 25 s");
    assertThat(lines)
        .anyMatch(line -> line.startsWith("program 1 of 6: etcd "))
        .anyMatch(line ->
            line.matches(
                "programs 2-5 of 6: kubernetes \\S+: 0 of 2 packages compiled, 0 s \\(usually up to 6 min 10 s .*"))
        .anyMatch(line -> line.matches("program 6 of 6: kwok \\S+: built kwok in \\d+ s"));
  }

  @Test
  void aFailedBuildIsExplainedByItsErrors() throws IOException {
    go = StandInGo.in(folder.resolve("go"), "echo '# some/package'; echo 'main.go:1: no'; exit 3");

    assertThatThrownBy(() -> binaries().resolve(Binary.KWOK))
        .isInstanceOf(TestbedException.class)
        .hasMessageContaining(
            "go build of kwok ended with status 3: # some/package; main.go:1: no");
  }

  @Test
  void aProgramInTheCacheIsFoundWhileOthersOfItsModuleAreMade() throws Exception {
    binaries().resolve(Binary.KUBECTL);

    whileLocked(
        ToolModule.KUBERNETES, () -> assertThat(binaries().resolve(Binary.KUBECTL)).isExecutable());
  }

  @Test
  void aModuleDoesNotWaitForAnother() throws Exception {
    whileLocked(
        ToolModule.KUBERNETES, () -> assertThat(binaries().resolve(Binary.ETCD)).isExecutable());
  }

  @Test
  void fileThatTwoRunsNeed_isBuiltOnce() throws Exception {
    Callable<Map<Binary, Path>> one =
        () -> binaries().resolveAll(Set.of(Binary.KUBE_APISERVER, Binary.KUBECTL));
    Callable<Map<Binary, Path>> other =
        () -> binaries().resolveAll(Set.of(Binary.KUBELET, Binary.KUBECTL));

    try (var threads = Executors.newFixedThreadPool(2)) {
      for (var run : threads.invokeAll(List.of(one, other))) {
        run.get();
      }
    }

    assertThat(go.builds()).hasSize(2);
    assertThat(go.builds()).filteredOn(build -> build.contains("kubectl")).hasSize(1);
  }

  private void whileLocked(ToolModule module, Runnable test) throws Exception {
    var isLocked = new CountDownLatch(1);
    var isOver = new CountDownLatch(1);
    try (var other = Executors.newSingleThreadExecutor()) {
      var holder =
          other.submit(() -> {
            try (var _ = cache().lock(module, _ -> {})) {
              isLocked.countDown();
              isOver.await();
            }
            return 0;
          });
      isLocked.await();
      try {
        test.run();
      } finally {
        isOver.countDown();
      }
      holder.get();
    }
  }

  private BinaryCache cache() {
    return new BinaryCache(folder.resolve("cache"));
  }

  private Binaries binaries() {
    var nothing = new InstalledBinaries(List.of());
    var makers = List.<BinarySource>of(new GoBuild(go.program().toString(), cache()));
    return new Binaries(new BinaryMaker(nothing, cache(), makers, lines::add));
  }
}
