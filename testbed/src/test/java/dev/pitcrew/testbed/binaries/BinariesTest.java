package dev.pitcrew.testbed.binaries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.BinarySource.Attempt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinariesTest {
  private static final Progress SILENT = _ -> {};
  @TempDir private Path folder;

  @Test
  void aProgramOfTheRightVersionIsTakenWhereItIs() {
    var installed = program("bin/kubectl", "echo Client Version: v" + Binary.KUBECTL.version());

    assertThat(binaries(List.of()).resolve(Binary.KUBECTL)).isEqualTo(installed);
  }

  @Test
  void aProgramOfAnotherVersionIsPassedOver() {
    program("bin/kubectl", "echo Client Version: v1.20.2");
    var maker = new CountingMaker(cache());

    assertThat(binaries(List.of(maker)).resolve(Binary.KUBECTL))
        .isEqualTo(cache().pathOf(Binary.KUBECTL));
  }

  @Test
  void builtFile_isNotBuiltAgain() {
    var maker = new CountingMaker(cache());

    binaries(List.of(maker)).resolve(Binary.ETCD);
    binaries(List.of(maker)).resolve(Binary.ETCD);

    assertThat(maker.made).hasValue(1);
  }

  @Test
  void twoRunsAtOnceMakeItOnce() throws InterruptedException {
    var maker = new CountingMaker(cache());
    Callable<Path> resolve = () -> binaries(List.of(maker)).resolve(Binary.ETCD);

    try (var threads = Executors.newFixedThreadPool(2)) {
      threads.invokeAll(List.of(resolve, resolve));
    }

    assertThat(maker.made).hasValue(1);
  }

  @Test
  void whenEveryWayFailsAllAreListedWithARemedy() {
    program("bin/etcd", "echo etcd Version: 3.4.0");
    var sites =
        new ReleaseSites(
            "http://127.0.0.1:1", "http://127.0.0.1:1", "http://127.0.0.1:1", "linux", "amd64");
    List<BinarySource> makers =
        List.of(new GoBuild("no-such-go", cache()), new ReleaseDownload(sites, cache()));

    assertThatThrownBy(() -> binaries(makers).resolve(Binary.ETCD))
        .isInstanceOf(TestbedException.class)
        .hasMessageContainingAll(
            "no etcd " + Binary.ETCD.version(),
            "not version " + Binary.ETCD.version() + ": " + folder.resolve("bin/etcd"),
            "the cache has no",
            "no Go",
            "install Go and put it on $PATH",
            "download of http://127.0.0.1:1/etcd-io/etcd/releases/download/v");
  }

  @Test
  void aFailedMakeLeavesNothingInTheCache() throws IOException {
    var broken = new GoBuild(program("bin/go", "[ $1 = version ]").toString(), cache());

    assertThat(broken.obtain(Binary.ETCD, SILENT))
        .isInstanceOfSatisfying(
            Attempt.NotHere.class, it -> assertThat(it.reason()).contains("ended with status 1"));
    try (var left = Files.list(folder.resolve("cache"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void theCacheFolderFollowsTheEnvironment() {
    var home = Path.of("/home/u");

    assertThat(BinaryCache.rootFrom(Map.of("PITCREW_CACHE", "/c", "XDG_CACHE_HOME", "/x"), home))
        .isEqualTo(Path.of("/c"));
    assertThat(BinaryCache.rootFrom(Map.of("XDG_CACHE_HOME", "/x"), home))
        .isEqualTo(Path.of("/x/pitcrew"));
    assertThat(BinaryCache.rootFrom(Map.of("XDG_CACHE_HOME", "relative"), home))
        .isEqualTo(Path.of("/home/u/.cache/pitcrew"));
    assertThat(BinaryCache.rootFrom(Map.of(), home)).isEqualTo(Path.of("/home/u/.cache/pitcrew"));
  }

  @Test
  void everyProgramHasACacheFolderOfItsOwn() {
    assertThat(Binary.values()).extracting(Binary::cacheKey).doesNotHaveDuplicates();
  }

  private BinaryCache cache() {
    return new BinaryCache(folder.resolve("cache"));
  }

  private Binaries binaries(List<? extends BinarySource> makers) {
    var installed = new InstalledBinaries(List.of(folder.resolve("bin")));
    return new Binaries(new BinaryMaker(installed, cache(), List.copyOf(makers), SILENT));
  }

  private Path program(String name, String script) {
    try {
      var file = folder.resolve(name);
      Files.createDirectories(file.resolveSibling("."));
      Files.writeString(file, "#!/bin/sh\n" + script + "\n");
      return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Publishes an empty file, as a build would publish a program.
  private record CountingMaker(BinaryCache cache, AtomicInteger made) implements BinarySource {
    CountingMaker(BinaryCache cache) {
      this(cache, new AtomicInteger());
    }

    @Override
    public Attempt obtain(Binary binary, Progress progress) {
      made.incrementAndGet();
      try (var workshop = Workshop.in(cache, binary.module())) {
        var file = Files.createFile(workshop.folder().resolve("made"));
        return new Attempt.Found(cache.publish(binary, file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
