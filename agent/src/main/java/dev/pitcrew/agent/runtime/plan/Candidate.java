package dev.pitcrew.agent.runtime.plan;

import java.util.Optional;

/// Files at another place that say what containerd's would after the edits, for containerd itself
/// to judge before it has to live with them.
///
/// @param main imports the drop-in
public record Candidate(ConfigFile main, Optional<ConfigFile> dropIn) {

  /// @param mainPath of the main file to judge
  /// @param dropInPath of the drop-in to judge
  public static Candidate of(RuntimeInput after, String mainPath, String dropInPath) {
    String text = after.main().orElse("");
    boolean isSaid = after.dropIn().isPresent();
    if (!isSaid) {
      return new Candidate(new ConfigFile(mainPath, text), Optional.empty());
    }
    var line = new ImportLine(dropInPath);
    String importing =
        TomlFile.read(new ConfigFile(mainPath, text)) instanceof TomlFile.Read.Parsed(var file)
                && !file.content().isEmpty()
            ? line.addedTo(file)
            : line.newFile(version(after.dropIn().orElseThrow())) + text;
    return new Candidate(
        new ConfigFile(mainPath, importing),
        after.dropIn().map(ours -> new ConfigFile(dropInPath, ours)));
  }

  /// Whether a file works at its own place only.
  public static boolean isBoundToPlace(ConfigFile main) {
    return TomlFile.read(main) instanceof TomlFile.Read.Parsed(var file)
        && file.content().texts(ImportLine.KEY).stream().anyMatch(path -> !path.startsWith("/"));
  }

  private static long version(String dropIn) {
    return TomlFile.read(new ConfigFile("", dropIn)) instanceof TomlFile.Read.Parsed(var file)
            && file.content().value("version").orElse(0L) instanceof Long version
        ? version
        : 0L;
  }
}
