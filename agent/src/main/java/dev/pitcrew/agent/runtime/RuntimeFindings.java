package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.runtime.RuntimeDaemon.RestartFailure;
import dev.pitcrew.agent.runtime.RuntimeReader.Reading;
import dev.pitcrew.agent.runtime.RuntimeState.Phase;
import dev.pitcrew.agent.runtime.plan.Edit;
import dev.pitcrew.agent.runtime.plan.WantedRuntime;
import dev.pitcrew.agent.state.WholeFile;
import java.io.IOException;
import java.util.List;

/// How findings at a runtime are reported.
record RuntimeFindings(RuntimePlace place) {
  RuntimeState ready(Reading reading, WantedRuntime wanted, List<String> remarks) {
    String all =
        "%s has the handlers %s"
            .formatted(place.kind().value(), String.join(", ", wanted.handlers()));
    return state(
        reading,
        Phase.READY,
        wanted.handlers(),
        remarks.isEmpty() ? all : all + "; " + String.join("; ", remarks));
  }

  String notRead(String why) {
    return "the files of %s are as they should be and it has not read them (%s): restart it (systemctl restart %s)"
        .formatted(place.kind().value(), why, place.kind().value());
  }

  String notBack(List<Edit> ours, RestartFailure problem) {
    return "%s did not come back with what was written to %s (%s): see its log (journalctl -u %s)"
        .formatted(place.kind().value(), paths(ours), problem.why(), place.kind().value());
  }

  static String paths(List<Edit> edits) {
    return String.join(" and ", edits.stream().map(Edit::path).toList());
  }

  RuntimeState notWritten(IOException failure) {
    return new RuntimeState(
        Phase.NOT_WRITTEN,
        place.kind().value(),
        "",
        place.mainPath(),
        List.of(),
        "the files of %s cannot be read or written (%s: %s): make %s readable and its folder writable"
            .formatted(
                place.kind().value(),
                failure.getClass().getSimpleName(),
                WholeFile.words(failure),
                place.mainPath()));
  }

  RuntimeState state(Reading reading, Phase phase, List<String> handlers, String message) {
    return new RuntimeState(
        phase, place.kind().value(), reading.versionText(), place.mainPath(), handlers, message);
  }
}
