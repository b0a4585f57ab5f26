package dev.pitcrew.agent.process;

import dev.pitcrew.agent.settings.Decision;
import dev.pitcrew.agent.settings.SettingsPlan;
import dev.pitcrew.agent.settings.SettingsText;
import dev.pitcrew.agent.state.StateFolder;
import java.time.Duration;
import java.util.Optional;

/// Keeps the last settings on the node, for an agent that starts while the API server is away.
final class SettingsStore implements Controller {
  private static final String FILE = "settings.json";
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final StateFolder folder;
  private final StateStore board;

  SettingsStore(StateFolder folder, StateStore board) {
    this.folder = folder;
    this.board = board;
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
  public Duration act(NodeState situation) {
    Optional<String> problem =
        situation
            .decision()
            .flatMap(decision -> folder.keep(FILE, SettingsText.write(decision.source())));
    board.change(now -> now.withUnkept(FILE, problem));
    return problem.isPresent() ? UNTIL_TRIED_AGAIN : SETTLED;
  }
}
