package dev.pitcrew.agent.runtime.plan;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All that a plan is made of.
///
/// @param mainPath the runtime's own file, on the host
/// @param dropInPath our file, on the host; an empty text where the runtime reads one file only
/// @param main empty where there is none
/// @param dropIn what our file says now
/// @param others what the runtime reads besides, in its order
/// @param version of the runtime's program
/// @param resolved what the runtime says that it makes of all its files
/// @param programs what the host has of the low-level runtimes and of what handlers name
public record RuntimeInput(
    String mainPath,
    String dropInPath,
    Optional<String> main,
    Optional<String> dropIn,
    List<ConfigFile> others,
    Optional<RuntimeVersion> version,
    Optional<String> resolved,
    HostPrograms programs) {
  public RuntimeInput {
    others = List.copyOf(others);
  }

  /// @param lowLevel the path of crun or runc
  /// @param missing paths that handlers name and the host does not have
  public record HostPrograms(Optional<String> lowLevel, Set<String> missing) {
    public static final HostPrograms UNKNOWN = new HostPrograms(Optional.empty(), Set.of());

    public HostPrograms {
      missing = Set.copyOf(missing);
    }
  }

  /// Whether the file under our name is one that the agent wrote.
  public boolean hasOurDropIn() {
    return dropIn.filter(text -> text.startsWith(ContainerdPlan.HEAD)).isPresent();
  }

  Optional<ConfigFile> mainFile() {
    return main.map(text -> new ConfigFile(mainPath, text));
  }

  /// As it would be after these edits.
  public RuntimeInput after(List<Edit> edits) {
    return new RuntimeInput(
        mainPath,
        dropInPath,
        after(edits, mainPath, main),
        after(edits, dropInPath, dropIn),
        others,
        version,
        resolved,
        programs);
  }

  private static Optional<String> after(List<Edit> edits, String path, Optional<String> now) {
    return edits.stream()
        .filter(edit -> edit.path().equals(path))
        .findFirst()
        .map(Edit::after)
        .orElse(now);
  }
}
