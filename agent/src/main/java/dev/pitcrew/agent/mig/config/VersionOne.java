package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import dev.pitcrew.core.text.YamlText;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;

/// A file of version v1: its version and one section, as all files of the MIG manager are made.
final class VersionOne {
  private static final String VERSION = "version";

  private VersionOne() {}

  /// What came of reading a file.
  sealed interface Read<T> {
    record Content<T>(T content) implements Read<T> {}

    record Rejected<T>(MigConfigProblem problem) implements Read<T> {}
  }

  /// Reads what stands in the section.
  interface SectionReader<T> {
    T read(Place section) throws Refusal;
  }

  /// @param ifAbsent what a file without the section says
  static <T> Read<T> read(String text, String section, T ifAbsent, SectionReader<T> reader) {
    try {
      Optional<Node> document = YamlText.compose(text);
      return document.isEmpty()
          ? rejected(Fault.UNKNOWN_VERSION, 1, 1, "unknown version: ")
          : new Read.Content<>(content(new Place("", document.get()), section, ifAbsent, reader));
    } catch (Refusal refusal) {
      return new Read.Rejected<>(refusal.problem());
    } catch (MarkedYAMLException broken) {
      var mark = broken.getProblemMark();
      int line = mark == null ? 1 : mark.getLine() + 1;
      int column = mark == null ? 1 : mark.getColumn() + 1;
      return rejected(Fault.NO_YAML, line, column, "no YAML: " + broken.getProblem());
    } catch (YAMLException broken) {
      return rejected(Fault.NO_YAML, 1, 1, "no YAML: " + broken.getMessage());
    }
  }

  private static <T> Read<T> rejected(Fault fault, int line, int column, String message) {
    return new Read.Rejected<>(new MigConfigProblem(fault, line, column, "", message));
  }

  private static <T> T content(Place document, String section, T ifAbsent, SectionReader<T> reader)
      throws Refusal {
    Map<String, Place> fields = document.fields();
    Place version = fields.get(VERSION);
    if (version == null) {
      throw fields.isEmpty()
          ? document.refusal(Fault.UNKNOWN_VERSION, "unknown version: ")
          : document.refusal(Fault.MISSING_VERSION, "unable to parse with missing 'version' field");
    }
    if (!version.text().equals("v1")) {
      throw version.refusal(Fault.UNKNOWN_VERSION, "unknown version: " + version.text());
    }
    T content = ifAbsent;
    for (var field : fields.entrySet()) {
      if (field.getKey().equals(section)) {
        content = reader.read(field.getValue());
      } else if (!field.getKey().equals(VERSION)) {
        throw field
            .getValue()
            .refusal(Fault.UNEXPECTED_FIELD, "unexpected field: " + field.getKey());
      }
    }
    return content;
  }
}
