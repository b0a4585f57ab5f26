package dev.pitcrew.agent.runtime.plan;

import dev.pitcrew.agent.runtime.plan.TomlFile.TomlMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What containerd's files say without ours, and how containerd puts them together.
///
/// @param version of the format, which all files must have in common
/// @param runtime of the program
/// @param all the main file first
/// @param resolved what containerd says of all its files, ours among them
record ContainerdFiles(
    long version, Optional<RuntimeVersion> runtime, List<TomlFile> all, TomlMap resolved) {
  private static final String PLUGINS = "plugins";
  private static final String CRI_2 = "io.containerd.grpc.v1.cri";
  private static final String CRI_3 = "io.containerd.cri.v1.runtime";
  static final String NRI = "io.containerd.nri.v1.nri";
  private static final int LAST_WITH_CRI_2 = 2;

  String criKey() {
    return version <= LAST_WITH_CRI_2 ? CRI_2 : CRI_3;
  }

  /// Before 2.1 the table of a plugin in a later file takes the place of the one in an earlier
  /// file. A program that does not report its version is taken for such a one: a table that says
  /// all is right for both.
  boolean mergesTables() {
    return runtime.filter(it -> it.isAtLeast(2, 1)).isPresent();
  }

  boolean isTwo() {
    return runtime.filter(it -> it.isAtLeast(2, 0)).isPresent();
  }

  /// What all files together say of a plugin.
  TomlMap plugin(String key) {
    Map<String, Object> said = Map.of();
    for (TomlFile file : all) {
      TomlMap table = key.equals(criKey()) ? cri(file) : file.content().table(PLUGINS, key);
      if (!table.isEmpty()) {
        said = mergesTables() ? Tables.merged(said, table.entries()) : table.entries();
      }
    }
    return new TomlMap(said);
  }

  /// The last file that has a handler, which is the one that counts.
  Optional<TomlFile> withHandler(String name) {
    return all.reversed().stream()
        .filter(file -> cri(file).table("containerd", "runtimes").value(name).isPresent())
        .findFirst();
  }

  /// Each file may have the key of its own version.
  private static TomlMap cri(TomlFile file) {
    TomlMap newer = file.content().table(PLUGINS, CRI_3);
    return newer.isEmpty() ? file.content().table(PLUGINS, CRI_2) : newer;
  }

  /// Whether it has the same key for the kubelet's part as the main file.
  boolean isOfSameFormat(TomlFile file) {
    boolean isOld =
        file.content().value("version").orElse(0L) instanceof Long number
            && number <= LAST_WITH_CRI_2;
    return file.content().isEmpty() || isOld == (version <= LAST_WITH_CRI_2);
  }

  /// As the program sees it, whose newest format may be another one than that of the files.
  TomlMap resolvedCri() {
    TomlMap newest = resolved.table(PLUGINS, CRI_3);
    return newest.isEmpty() ? resolved.table(PLUGINS, CRI_2) : newest;
  }

  /// A plugin that is switched off altogether.
  Optional<TomlFile> disabling(List<String> names) {
    return all.stream()
        .filter(file -> file.content().texts("disabled_plugins").stream().anyMatch(names::contains))
        .findFirst();
  }

  List<String> criNames() {
    return List.of("cri", CRI_2, CRI_3);
  }
}
