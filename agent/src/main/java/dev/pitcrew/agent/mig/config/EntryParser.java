package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import dev.pitcrew.device.inventory.MigProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads one entry of a label.
final class EntryParser {
  private static final String FILTER = "device-filter";
  private static final String DEVICES = "devices";
  private static final String ENABLED = "mig-enabled";
  private static final String MIG_DEVICES = "mig-devices";
  private static final List<String> REQUIRED = List.of(DEVICES, ENABLED);
  private static final List<String> KNOWN = List.of(FILTER, DEVICES, ENABLED, MIG_DEVICES);

  private final Place entry;
  private final Map<String, Place> fields;

  private EntryParser(Place entry) throws Refusal {
    this.entry = entry;
    this.fields = entry.fields();
  }

  static MigEntry parse(Place entry) throws Refusal {
    return new EntryParser(entry).entry();
  }

  private MigEntry entry() throws Refusal {
    for (String required : REQUIRED) {
      if (!fields.containsKey(required)) {
        throw entry.refusal(Fault.MISSING_FIELD, "missing required field: " + required);
      }
    }
    for (var field : fields.entrySet()) {
      if (!KNOWN.contains(field.getKey())) {
        throw field
            .getValue()
            .refusal(Fault.UNEXPECTED_FIELD, "unexpected field: " + field.getKey());
      }
    }
    boolean isEnabled = required(ENABLED).truth();
    return new MigEntry(filters(), devices(), isEnabled, counts(isEnabled));
  }

  private Place required(String name) throws Refusal {
    Place field = fields.get(name);
    if (field == null) {
      throw entry.refusal(Fault.MISSING_FIELD, "missing required field: " + name);
    }
    return field;
  }

  private List<String> filters() throws Refusal {
    Place filter = fields.get(FILTER);
    if (filter == null || filter.isNull()) {
      return List.of();
    }
    if (!MigConfigParser.isList(filter)) {
      return filter.text().isEmpty() ? List.of() : List.of(filter.text());
    }
    var filters = new ArrayList<String>();
    for (Place element : filter.elements()) {
      filters.add(element.text());
    }
    return filters;
  }

  private Optional<List<Integer>> devices() throws Refusal {
    Place devices = required(DEVICES);
    if (!MigConfigParser.isList(devices) && !devices.isNull()) {
      if (!devices.text().equals("all")) {
        throw devices.refusal(
            Fault.INVALID_DEVICES, "invalid string input for 'devices': " + devices.text());
      }
      return Optional.empty();
    }
    var indexes = new ArrayList<Integer>();
    for (Place element : devices.elements()) {
      indexes.add(element.number());
    }
    return Optional.of(indexes);
  }

  private Map<MigProfile, Integer> counts(boolean isEnabled) throws Refusal {
    Place devices = fields.get(MIG_DEVICES);
    if (devices == null) {
      if (isEnabled) {
        throw entry.refusal(
            Fault.MISSING_MIG_DEVICES,
            "missing required field 'mig-devices' when 'mig-enabled' is true");
      }
      return Map.of();
    }
    Map<String, Place> named = devices.fields();
    var counts = new LinkedHashMap<MigProfile, Integer>();
    for (var one : named.entrySet()) {
      MigProfile profile = profile(one.getKey(), one.getValue());
      int count = count(one.getKey(), one.getValue());
      if (count > 0) {
        counts.merge(profile, count, Integer::sum);
      }
    }
    if (!named.isEmpty() && counts.isEmpty()) {
      throw devices.refusal(
          Fault.NOTHING_COUNTED, invalidValues("all counts for all MigProfiles are 0"));
    }
    if (!named.isEmpty() && !isEnabled) {
      throw devices.refusal(
          Fault.NEEDLESS_MIG_DEVICES, "MIG devices included when 'mig-enabled' is false");
    }
    return counts;
  }

  private static MigProfile profile(String name, Place place) throws Refusal {
    try {
      return ProfileName.parse(name);
    } catch (ProfileName.Malformed wrong) {
      throw place.refusal(
          Fault.INVALID_PROFILE,
          invalidValues("invalid format for '%s': %s".formatted(name, wrong.why())));
    }
  }

  private static int count(String name, Place place) throws Refusal {
    int count = place.number();
    if (count < 0) {
      throw place.refusal(
          Fault.NEGATIVE_COUNT, invalidValues("invalid count for '%s': %d".formatted(name, count)));
    }
    return count;
  }

  private static String invalidValues(String why) {
    return "error validating values in '" + MIG_DEVICES + "' field: " + why;
  }
}
