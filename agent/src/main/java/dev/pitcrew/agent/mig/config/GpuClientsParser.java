package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import dev.pitcrew.agent.mig.config.VersionOne.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Reads the file `clients.yaml` of the MIG manager, version v1.
public final class GpuClientsParser {
  private static final String SERVICES = "systemd-services";

  /// Of systemd.unit(5), and never a flag.
  private static final Pattern UNIT = Pattern.compile("[A-Za-z0-9:_.@\\\\][A-Za-z0-9:_.@\\\\-]*");

  private static final int LONGEST_UNIT = 255;

  private GpuClientsParser() {}

  public static GpuClients parse(String text) {
    return switch (VersionOne.<List<String>>read(
        text, SERVICES, List.of(), GpuClientsParser::units)) {
      case Read.Content<List<String>>(var services) -> new GpuClients.Named(services);
      case Read.Rejected<List<String>>(var problem) -> new GpuClients.Rejected(problem);
    };
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
