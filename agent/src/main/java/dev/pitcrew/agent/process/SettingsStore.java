package dev.pitcrew.agent.process;

import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.settings.Decision;
import dev.pitcrew.agent.settings.SettingsPlan;
import dev.pitcrew.agent.settings.SettingsText;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.agent.state.StateFolder;
import java.time.Duration;
import java.util.Optional;

/// Keeps the last settings on the node, for an agent that starts while the API server is away.
final class SettingsStore implements Controller<Decision> {
  private static final String FILE = "settings.json";
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final StateFolder folder;
  private final FileReports files;

  SettingsStore(StateFolder folder, FileReports files) {
    this.folder = folder;
    this.files = files;
  }

  /// The settings that the last agent of this node had.
  static Optional<Decision> recalled(StateFolder folder) {
    return folder
        .read(FILE)
        .flatMap(SettingsText::read)
        .filter(source -> SettingsPlan.hasDocument(source, Optional.empty()))
        .map(source -> SettingsPlan.decide(source, Optional.empty()));
  }

  @Override
  public Duration reconcile(Decision decision) {
    Optional<String> problem = folder.keep(FILE, SettingsText.write(decision.source()));
    files.report(FILE, problem);
    return problem.isPresent() ? UNTIL_TRIED_AGAIN : RESYNC;
  }
}
