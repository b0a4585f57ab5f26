package dev.pitcrew.agent.runtime.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What was done to a runtime's files, as it is kept on the node before it is done.
///
/// @param pending whether the runtime may not have read them yet
/// @param refusal what the runtime did not take
public record Receipt(
    RuntimeKind kind, List<Kept> files, boolean pending, Optional<Refusal> refusal) {
  public Receipt {
    files = List.copyOf(files);
  }

  /// @param original what was there before the first edit; empty where there was no file
  /// @param applied what was written last; empty where there is to be no file
  public record Kept(String path, Optional<String> original, Optional<String> applied) {}

  /// @param edits that were rolled back
  /// @param why in the runtime's own words
  public record Refusal(List<Edit> edits, String why) {
    public Refusal {
      edits = List.copyOf(edits);
    }
  }

  public static Receipt of(RuntimeKind kind) {
    return new Receipt(kind, List.of(), false, Optional.empty());
  }

  /// With edits that are about to be made. A file that another program or user has changed
  /// meanwhile has a new original, if it is without a word of ours.
  public Receipt before(List<Edit> edits) {
    List<Kept> untouched =
        files.stream()
            .filter(kept -> edits.stream().noneMatch(edit -> edit.path().equals(kept.path())))
            .toList();
    List<Kept> edited =
        edits.stream()
            .map(edit ->
                kept(edit.path())
                    .filter(kept -> kept.applied().equals(edit.before()))
                    .map(kept -> new Kept(edit.path(), kept.original(), edit.after()))
                    .orElse(new Kept(edit.path(), edit.before(), edit.after())))
            .toList();
    return new Receipt(
        kind, Stream.concat(untouched.stream(), edited.stream()).toList(), true, Optional.empty());
  }

  public Receipt settled() {
    return new Receipt(kind, files, false, refusal);
  }

  public Receipt refused(Refusal by) {
    return new Receipt(kind, files, false, Optional.of(by));
  }

  /// All that was done, from the first state to the last.
  public List<Edit> edits() {
    return files.stream()
        .map(kept -> new Edit(kept.path(), kept.original(), kept.applied()))
        .toList();
  }

  public Optional<Kept> kept(String path) {
    return files.stream().filter(it -> it.path().equals(path)).findFirst();
  }

  /// Why these edits must not be made again.
  public Optional<String> refusalOf(List<Edit> edits) {
    return refusal.filter(it -> it.edits().equals(edits)).map(Refusal::why);
  }
}
