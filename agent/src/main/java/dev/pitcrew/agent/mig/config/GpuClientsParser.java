package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.config.YamlText;
import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;

/// Reads the file `clients.yaml` of the MIG manager, version v1.
public final class GpuClientsParser {
  private static final String VERSION = "version";
  private static final String SERVICES = "systemd-services";

  /// Of systemd.unit(5), and never a flag.
  private static final Pattern UNIT = Pattern.compile("[A-Za-z0-9:_.@\\\\][A-Za-z0-9:_.@\\\\-]*");

  private static final int LONGEST_UNIT = 255;

  private GpuClientsParser() {}

  public static GpuClients parse(String text) {
    try {
      Optional<Node> document = YamlText.compose(text);
      return document.isEmpty()
          ? rejected(Fault.MISSING_VERSION, 1, 1, "there is nothing in it")
          : new GpuClients.Named(services(new Place("", document.get())));
    } catch (Refusal refusal) {
      return new GpuClients.Rejected(refusal.problem());
    } catch (MarkedYAMLException broken) {
      var mark = broken.getProblemMark();
      int line = mark == null ? 1 : mark.getLine() + 1;
      int column = mark == null ? 1 : mark.getColumn() + 1;
      return rejected(Fault.NO_YAML, line, column, "no YAML: " + broken.getProblem());
    } catch (YAMLException broken) {
      return rejected(Fault.NO_YAML, 1, 1, "no YAML: " + broken.getMessage());
    }
  }

  private static GpuClients rejected(Fault fault, int line, int column, String message) {
    return new GpuClients.Rejected(new MigConfigProblem(fault, line, column, "", message));
  }

  private static List<String> services(Place document) throws Refusal {
    Map<String, Place> fields = document.fields();
    Place version = fields.get(VERSION);
    if (version == null) {
      throw document.refusal(Fault.MISSING_VERSION, "unable to parse with missing 'version' field");
    }
    if (!version.text().equals("v1")) {
      throw version.refusal(Fault.UNKNOWN_VERSION, "unknown version: " + version.text());
    }
    var services = new ArrayList<String>();
    for (var field : fields.entrySet()) {
      switch (field.getKey()) {
        case VERSION -> {}
        case SERVICES -> services.addAll(units(field.getValue()));
        default ->
            throw field
                .getValue()
                .refusal(Fault.UNEXPECTED_FIELD, "unexpected field: " + field.getKey());
      }
    }
    return services;
  }

  private static List<String> units(Place list) throws Refusal {
    var units = new ArrayList<String>();
    for (Place unit : list.elements()) {
      String name = unit.text();
      if (name.length() > LONGEST_UNIT || !UNIT.matcher(name).matches()) {
        throw unit.refusal(Fault.WRONG_TYPE, "must be a unit of systemd, not '" + name + "'");
      }
      units.add(name);
    }
    return units;
  }
}
