package dev.pitcrew.agent.mig.config;

import dev.pitcrew.device.inventory.MigProfile;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/// Reads the name of a MIG profile, such as `1g.5gb`, `1c.3g.20gb` or `1g.10gb+me`.
public final class ProfileName {
  private static final Pattern SIGN = Pattern.compile("[+-]");
  private static final Pattern ATTRIBUTE_CHARACTERS = Pattern.compile("[A-Za-z0-9.]+");

  private ProfileName() {}

  /// Why a name is invalid, in the words of NVIDIA's mig-parted.
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String why) {
      super(why, null, false, false);
    }

    String why() {
      return String.valueOf(getMessage());
    }
  }

  static MigProfile parse(String name) throws Malformed {
    if (name.isEmpty()) {
      throw new Malformed("profile is the empty string");
    }
    String[] parts = SIGN.split(name, 2);
    MigProfile plain = fields(name, parts[0]);
    if (parts.length == 1) {
      return plain;
    }
    char sign = name.charAt(parts[0].length());
    return new MigProfile(
        plain.computeSlices(),
        plain.gpuSlices(),
        plain.memoryGigabytes(),
        sign + String.join(",", attributes(name, parts[1])));
  }

  private static MigProfile fields(String name, String text) throws Malformed {
    String[] parts = text.split("\\.", 3);
    try {
      return switch (parts.length) {
        case 2 -> {
          int slices = field(parts[0], "g");
          yield new MigProfile(slices, slices, field(parts[1], "gb"), "");
        }
        case 3 ->
            new MigProfile(field(parts[0], "c"), field(parts[1], "g"), field(parts[2], "gb"), "");
        default -> throw new Malformed("parsed wrong number of fields, expected 2 or 3");
      };
    } catch (Malformed wrong) {
      throw new Malformed("cannot parse fields of '%s': %s".formatted(name, wrong.why()));
    }
  }

  private static int field(String text, String unit) throws Malformed {
    if (!text.strip().equals(text)) {
      throw new Malformed("leading or trailing spaces on '%d" + unit + "'");
    }
    if (!text.endsWith(unit)) {
      throw new Malformed("missing '%s' from '%%d%s'".formatted(unit, unit));
    }
    String number = text.substring(0, text.length() - unit.length());
    try {
      if (number.chars().allMatch(Character::isDigit)) {
        return Integer.parseInt(number);
      }
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw new Malformed("malformed number in '%d" + unit + "'");
  }

  private static List<String> attributes(String name, String text) throws Malformed {
    List<String> attributes = Arrays.asList(text.split(",", -1));
    var seen = new HashSet<String>();
    for (String attribute : attributes) {
      String wrong = wrongWith(attribute, seen.add(attribute));
      if (!wrong.isEmpty()) {
        throw new Malformed("cannot parse attributes of '%s': %s".formatted(name, wrong));
      }
    }
    return attributes.stream().sorted().toList();
  }

  private static String wrongWith(String attribute, boolean isNew) {
    if (!isNew) {
      return "non unique attribute in list";
    }
    if (attribute.isEmpty()) {
      return "empty attribute in list";
    }
    if (!attribute.strip().equals(attribute)) {
      return "leading or trailing spaces in attribute";
    }
    if (Character.isDigit(attribute.charAt(0))) {
      return "attribute begins with a number";
    }
    boolean isLegal =
        ATTRIBUTE_CHARACTERS.matcher(attribute).matches()
            && !attribute.startsWith(".")
            && !attribute.endsWith(".");
    return isLegal ? "" : "non alpha-numeric character or digit in attribute";
  }
}
