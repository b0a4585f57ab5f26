package dev.pitcrew.testbed.binaries;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.BinarySource.Attempt;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Where the programs of the test bed are. The first call on a fresh machine builds them, which
/// takes some minutes and says so; every later one is a look into a folder.
public final class Binaries {
  private final InstalledBinaries installed;
  private final BinaryCache cache;
  private final List<BinarySource> makers;
  private final Progress progress;
  private final Map<Binary, Path> resolved = new ConcurrentHashMap<>();

  Binaries(
      InstalledBinaries installed,
      BinaryCache cache,
      List<BinarySource> makers,
      Progress progress) {
    this.installed = installed;
    this.cache = cache;
    this.makers = List.copyOf(makers);
    this.progress = progress;
  }

  /// As this user's environment says: `$KUBEBUILDER_ASSETS`, `$PATH`, `$PITCREW_CACHE`.
  public static Binaries standard(Progress progress) {
    var cache = new BinaryCache(cacheFolder().resolve("binaries"));
    return new Binaries(
        InstalledBinaries.from(System.getenv()),
        cache,
        List.of(new GoBuild("go", cache), ReleaseDownload.into(cache)),
        progress);
  }

  /// These programs with one of them replaced, whatever the version of `path` is.
  public Binaries with(Binary binary, Path path) {
    var replaced = new Binaries(installed, cache, makers, progress);
    replaced.resolved.putAll(resolved);
    replaced.resolved.put(binary, path);
    return replaced;
  }

  /// The folder of this user that holds what the test bed keeps between runs.
  public static Path cacheFolder() {
    return BinaryCache.rootFrom(System.getenv(), Path.of(System.getProperty("user.home", "/")));
  }

  /// An executable file of the pinned version.
  ///
  /// @throws TestbedException if every way failed; the message lists them all
  public Path resolve(Binary binary) {
    return resolved.computeIfAbsent(binary, this::search);
  }

  /// Several programs.
  ///
  /// @throws TestbedException if one of them cannot be had
  public Map<Binary, Path> resolveAll(Collection<Binary> wanted) {
    var paths = new EnumMap<Binary, Path>(Binary.class);
    for (var binary : wanted) {
      paths.put(binary, resolve(binary));
    }
    return paths;
  }

  private Path search(Binary binary) {
    var reasons = new ArrayList<String>();
    return switch (firstOf(List.of(installed, cache), binary, reasons)) {
      case Attempt.Found(var path) -> path;
      case Attempt.NotHere _ -> make(binary, reasons);
    };
  }

  private Path make(Binary binary, List<String> reasons) {
    try (var _ = cache.lock(progress)) {
      // Another run may have made it while this one waited for the lock.
      if (cache.obtain(binary, progress) instanceof Attempt.Found(var path)) {
        return path;
      }
      return switch (firstOf(makers, binary, reasons)) {
        case Attempt.Found(var path) -> path;
        case Attempt.NotHere _ -> throw unavailable(binary, reasons);
      };
    }
  }

  private Attempt firstOf(
      List<? extends BinarySource> sources, Binary binary, List<String> reasons) {
    for (var source : sources) {
      switch (source.obtain(binary, progress)) {
        case Attempt.Found found -> {
          return found;
        }
        case Attempt.NotHere(var reason) -> reasons.add(reason);
      }
    }
    return new Attempt.NotHere("nowhere");
  }

  private static TestbedException unavailable(Binary binary, List<String> reasons) {
    return new TestbedException(
        "no %s %s:\n  - %s"
            .formatted(binary.command(), binary.version(), String.join("\n  - ", reasons)));
  }
}
