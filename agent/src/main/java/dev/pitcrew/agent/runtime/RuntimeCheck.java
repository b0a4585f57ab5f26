package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.runtime.plan.Candidate;
import dev.pitcrew.agent.runtime.plan.ConfigDump;
import dev.pitcrew.agent.runtime.plan.ConfigFile;
import dev.pitcrew.agent.runtime.plan.Edit;
import dev.pitcrew.agent.runtime.plan.RuntimeInput;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.agent.runtime.plan.WantedRuntime;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Has the runtime's own program judge a result before it is put where the runtime reads it.
final class RuntimeCheck {
  private static final String MAIN_BESIDE = ".pitcrew-candidate";

  private final RuntimePlace place;
  private final RuntimeReader reader;
  private final HostFiles files;
  private final String folder;

  /// @param folder of the agent, on the host
  RuntimeCheck(RuntimePlace place, RuntimeReader reader, HostFiles files, String folder) {
    this.place = place;
    this.reader = reader;
    this.files = files;
    this.folder = folder + "/runtime/candidate";
  }

  /// @return why the runtime would not take it; empty also for one that has no such command
  Optional<String> objection(RuntimeInput input, List<Edit> edits, WantedRuntime wanted)
      throws IOException, InterruptedException {
    if (place.kind() != RuntimeKind.CONTAINERD || input.resolved().isEmpty()) {
      return Optional.empty();
    }
    RuntimeInput after = input.after(edits);
    boolean isBound =
        after
            .main()
            .map(text -> new ConfigFile(place.mainPath(), text))
            .filter(Candidate::isBoundToPlace)
            .isPresent();
    String main = isBound ? beside(place.mainPath()) : folder + "/config.toml";
    String dropInName = place.dropInPath().substring(place.dropInPath().lastIndexOf('/'));
    Candidate candidate = Candidate.of(after, main, folder + dropInName);
    try {
      if (candidate.dropIn().isPresent()) {
        put(candidate.dropIn().get());
      }
      put(candidate.main());
      return judged(reader.dump(Optional.of(main)), input, wanted);
    } finally {
      remove(main);
      remove(folder + dropInName);
    }
  }

  private static Optional<String> judged(
      Optional<HostShell.Said> said, RuntimeInput input, WantedRuntime wanted) {
    return said.flatMap(it -> {
      if (!it.isGood()) {
        return Optional.of(it.lastOutput());
      }
      Optional<ConfigDump> dump = ConfigDump.of(it.output());
      if (dump.isEmpty()) {
        return Optional.of("it answers with what is no configuration");
      }
      List<String> unknown = dump.get().withoutHandlers(wanted);
      return unknown.isEmpty()
          ? lost(input, dump.get(), wanted)
          : Optional.of("it would not have the handlers " + String.join(", ", unknown));
    });
  }

  /// An existing file of ours may still say what a file of another program no longer does.
  private static Optional<String> lost(RuntimeInput input, ConfigDump later, WantedRuntime wanted) {
    return input
        .resolved()
        .filter(_ -> input.dropIn().isEmpty())
        .flatMap(ConfigDump::of)
        .map(before -> before.lostIn(later, wanted))
        .filter(lost -> !lost.isEmpty())
        .map(lost -> "settings would get lost: " + String.join("; ", lost));
  }

  private void put(ConfigFile file) throws IOException {
    files.carryOut(new Edit(file.path(), Optional.empty(), Optional.of(file.text())));
  }

  private void remove(String path) throws IOException {
    files.carryOut(new Edit(path, Optional.empty(), Optional.empty()));
  }

  private static String beside(String path) {
    return path.substring(0, path.lastIndexOf('/') + 1) + MAIN_BESIDE;
  }
}
