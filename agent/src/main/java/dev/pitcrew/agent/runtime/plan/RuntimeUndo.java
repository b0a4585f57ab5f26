package dev.pitcrew.agent.runtime.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Removes what the agent has put into a runtime's files. A file without other changes gets its
/// former bytes; from one that another program or user has changed, only ours is removed.
public final class RuntimeUndo {
  private final RuntimeKind kind;
  private final RuntimeInput input;
  private final Optional<Receipt> receipt;

  private RuntimeUndo(RuntimeKind kind, RuntimeInput input, Optional<Receipt> receipt) {
    this.kind = kind;
    this.input = input;
    this.receipt = receipt;
  }

  /// @param receipt empty where the agent's memory of the node is lost
  public static RuntimePlan of(RuntimeKind kind, RuntimeInput input, Optional<Receipt> receipt) {
    return new RuntimeUndo(kind, input, receipt).plan();
  }

  private RuntimePlan plan() {
    Read main = main();
    if (main.problem().isPresent()) {
      return new RuntimePlan.Refused(main.problem().get());
    }
    Optional<Edit> first = Edit.of(input.mainPath(), input.main(), main.text());
    Optional<Edit> second =
        input.dropInPath().isEmpty()
            ? Optional.empty()
            : Edit.of(input.dropInPath(), input.dropIn(), originalDropIn());
    return RuntimePlan.of(Stream.of(first, second).flatMap(Optional::stream).toList(), List.of());
  }

  private record Read(Optional<String> text, Optional<RuntimeProblem> problem) {
    static Read of(Optional<String> text) {
      return new Read(text, Optional.empty());
    }
  }

  /// A file under our name that existed before us belongs to another program or user.
  private Optional<String> originalDropIn() {
    return receipt
        .flatMap(it -> it.kept(input.dropInPath()))
        .flatMap(Receipt.Kept::original)
        .filter(text -> !text.startsWith(ContainerdPlan.HEAD));
  }

  private Read main() {
    Optional<Receipt.Kept> kept = receipt.flatMap(it -> it.kept(input.mainPath()));
    if (kept.isPresent() && kept.get().applied().equals(input.main())) {
      return Read.of(kept.get().original());
    }
    if (kept.isPresent() && kept.get().original().equals(input.main())) {
      return Read.of(input.main());
    }
    if (input.main().isEmpty()) {
      return Read.of(Optional.empty());
    }
    return switch (kind) {
      case CONTAINERD -> withoutImport();
      case CRIO -> Read.of(input.main());
      case DOCKER -> kept.map(this::withoutInsertion).orElse(Read.of(input.main()));
    };
  }

  private Read withoutImport() {
    var read = TomlFile.read(input.mainFile().orElseThrow());
    return switch (read) {
      case TomlFile.Read.Parsed(var file) ->
          Read.of(Optional.of(new ImportLine(input.dropInPath()).removedFrom(file)));
      case TomlFile.Read.Broken(var problem) -> new Read(input.main(), Optional.of(problem));
    };
  }

  /// What was put in is what the text that was written has more than the one before.
  private Read withoutInsertion(Receipt.Kept kept) {
    String before = kept.original().orElse("");
    String after = kept.applied().orElse("");
    int start = 0;
    while (start < before.length() && before.charAt(start) == after.charAt(start)) {
      start++;
    }
    boolean isInsertion =
        after.length() > before.length() && after.endsWith(before.substring(start));
    String ours =
        isInsertion ? after.substring(start, after.length() - (before.length() - start)) : "";
    String now = input.main().orElseThrow();
    int at = ours.isEmpty() ? -1 : now.indexOf(ours);
    boolean isOnce = at >= 0 && now.indexOf(ours, at + 1) < 0;
    String without = isOnce ? now.substring(0, at) + now.substring(at + ours.length()) : now;
    if (isOnce && JsonText.broken(without).isEmpty()) {
      return Read.of(Optional.of(without));
    }
    return new Read(
        input.main(),
        Optional.of(
            RuntimeProblem.ofFile(
                input.mainPath(),
                "another program or user has changed what the agent wrote: remove features.cdi and the handlers below runtimes by hand where they are not needed")));
  }
}
