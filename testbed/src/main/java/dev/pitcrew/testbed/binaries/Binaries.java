package dev.pitcrew.testbed.binaries;

import dev.pitcrew.testbed.TestbedException;
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
  private final BinaryMaker maker;
  private final Map<Binary, Path> resolved = new ConcurrentHashMap<>();

  Binaries(BinaryMaker maker) {
    this.maker = maker;
  }

  /// As this user's environment says: `$KUBEBUILDER_ASSETS`, `$PATH`, `$PITCREW_CACHE`.
  public static Binaries standard(Progress progress) {
    var cache = BinaryCache.ofThisUser();
    return new Binaries(
        new BinaryMaker(
            InstalledBinaries.from(System.getenv()),
            cache,
            List.of(new GoBuild("go", cache), ReleaseDownload.into(cache)),
            progress));
  }

  /// These programs with one of them replaced, whatever the version of `path` is.
  public Binaries with(Binary binary, Path path) {
    var replaced = new Binaries(maker);
    replaced.resolved.putAll(resolved);
    replaced.resolved.put(binary, path);
    return replaced;
  }

  /// The folder of this user that holds what the test bed keeps between runs.
  public static Path cacheFolder() {
    return BinaryCache.rootOfThisUser();
  }

  /// An executable file of the pinned version.
  ///
  /// @throws TestbedException if every way failed; the message lists them all
  public Path resolve(Binary binary) {
    return resolveAll(List.of(binary)).values().iterator().next();
  }

  /// Several programs. Those that have to be made are made together, module by module, so ask for
  /// all at once.
  ///
  /// @throws TestbedException if one of them cannot be had
  public Map<Binary, Path> resolveAll(Collection<Binary> wanted) {
    var unknown = new ArrayList<>(wanted);
    unknown.removeAll(resolved.keySet());
    resolved.putAll(maker.obtainAll(unknown));
    var paths = new EnumMap<Binary, Path>(resolved);
    paths.keySet().retainAll(wanted);
    return paths;
  }
}
