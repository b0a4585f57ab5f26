package dev.pitcrew.agent.mig.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.config.MigConfig.Selection;
import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import dev.pitcrew.device.inventory.MigProfile;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MigConfigParserTest {
  private static final String HEAD = "version: v1\nmig-configs:\n  x:\n  - ";

  /// A file that is refused, and all that is said of it.
  record Wrong(Fault fault, String text, String said) {
    @Override
    public String toString() {
      return fault + ": " + said;
    }
  }

  static Stream<Wrong> wrong() {
    return Stream.of(
        new Wrong(
            Fault.NO_YAML,
            "version: [v1\n",
            "f:2:1: no YAML: expected ',' or ']', but got <stream end>"),
        new Wrong(Fault.WRONG_TYPE, "version: 1\n", "f:1:10: version: must be a text, not '1'"),
        new Wrong(Fault.WRONG_TYPE, "- a\n", "f:1:1: must be a map, not a list"),
        new Wrong(
            Fault.WRONG_TYPE,
            HEAD + "devices: [a]\n    mig-enabled: false\n",
            "f:4:15: mig-configs.x[0].devices[0]: must be a whole number, not 'a'"),
        new Wrong(
            Fault.WRONG_TYPE,
            HEAD + "devices: all\n    mig-enabled: \"true\"\n",
            "f:5:18: mig-configs.x[0].mig-enabled: must be true or false, not 'true'"),
        new Wrong(
            Fault.WRONG_TYPE,
            HEAD + "devices: all\n    device-filter: 0x20B010DE\n    mig-enabled: false\n",
            "f:5:20: mig-configs.x[0].device-filter: must be a text, not '0x20B010DE'"),
        new Wrong(
            Fault.MISSING_VERSION,
            "mig-configs: {x: [{devices: all, mig-enabled: false}]}\n",
            "f:1:1: unable to parse with missing 'version' field"),
        new Wrong(Fault.UNKNOWN_VERSION, "version: v2\n", "f:1:10: version: unknown version: v2"),
        new Wrong(Fault.UNKNOWN_VERSION, "", "f:1:1: unknown version: "),
        new Wrong(Fault.UNKNOWN_VERSION, "{}", "f:1:1: unknown version: "),
        new Wrong(
            Fault.UNEXPECTED_FIELD, "version: v1\nfoo: 1\n", "f:2:6: foo: unexpected field: foo"),
        new Wrong(
            Fault.UNEXPECTED_FIELD,
            HEAD + "devices: all\n    mig-enabled: false\n    foo: 1\n",
            "f:6:10: mig-configs.x[0].foo: unexpected field: foo"),
        new Wrong(
            Fault.NO_LAYOUT,
            "version: v1\nmig-configs: {}\n",
            "f:2:14: mig-configs: at least one entry in 'mig-configs' is required"),
        new Wrong(
            Fault.NO_ENTRY,
            "version: v1\nmig-configs:\n  x: []\n",
            "f:3:6: mig-configs.x: at least one entry in 'x' is required"),
        new Wrong(
            Fault.MISSING_FIELD,
            HEAD + "mig-enabled: false\n",
            "f:4:5: mig-configs.x[0]: missing required field: devices"),
        new Wrong(
            Fault.MISSING_FIELD,
            HEAD + "devices: all\n",
            "f:4:5: mig-configs.x[0]: missing required field: mig-enabled"),
        new Wrong(
            Fault.INVALID_DEVICES,
            HEAD + "devices: some\n    mig-enabled: false\n",
            "f:4:14: mig-configs.x[0].devices: invalid string input for 'devices': some"),
        new Wrong(
            Fault.INVALID_PROFILE,
            enabled("foo: 1"),
            "f:6:24: mig-configs.x[0].mig-devices.foo: error validating values in 'mig-devices' field: invalid format for 'foo': cannot parse fields of 'foo': parsed wrong number of fields, expected 2 or 3"),
        new Wrong(
            Fault.NEGATIVE_COUNT,
            enabled("1g.5gb: -1"),
            "f:6:27: mig-configs.x[0].mig-devices.1g.5gb: error validating values in 'mig-devices' field: invalid count for '1g.5gb': -1"),
        new Wrong(
            Fault.NOTHING_COUNTED,
            enabled("1g.5gb: 0"),
            "f:6:18: mig-configs.x[0].mig-devices: error validating values in 'mig-devices' field: all counts for all MigProfiles are 0"),
        new Wrong(
            Fault.MISSING_MIG_DEVICES,
            HEAD + "devices: all\n    mig-enabled: true\n",
            "f:4:5: mig-configs.x[0]: missing required field 'mig-devices' when 'mig-enabled' is true"),
        new Wrong(
            Fault.NEEDLESS_MIG_DEVICES,
            enabled("1g.5gb: 1").replace("true", "false"),
            "f:6:18: mig-configs.x[0].mig-devices: MIG devices included when 'mig-enabled' is false"));
  }

  private static String enabled(String devices) {
    return HEAD + "devices: all\n    mig-enabled: true\n    mig-devices: {" + devices + "}\n";
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void error_isReportedWithItsPosition(Wrong wrong) {
    assertThat(MigConfigParser.parse(wrong.text()))
        .isInstanceOfSatisfying(
            ParsedMigConfig.Rejected.class,
            rejected -> {
              assertThat(rejected.problem().text("f")).isEqualTo(wrong.said());
              assertThat(rejected.problem().fault()).isEqualTo(wrong.fault());
            });
  }

  @Test
  void everyFaultHasItsCase() {
    Set<Fault> shown = wrong().map(Wrong::fault).collect(Collectors.toSet());

    assertThat(shown).isEqualTo(EnumSet.allOf(Fault.class));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''| profile is the empty string",
        "1g| cannot parse fields of '1g': parsed wrong number of fields, expected 2 or 3",
        "1.5gb| cannot parse fields of '1.5gb': missing 'g' from '%dg'",
        "xg.5gb| cannot parse fields of 'xg.5gb': malformed number in '%dg'",
        "1g.5mb| cannot parse fields of '1g.5mb': missing 'gb' from '%dgb'",
        "1x.2g.5gb| cannot parse fields of '1x.2g.5gb': missing 'c' from '%dc'",
        "1g .5gb| cannot parse fields of '1g .5gb': leading or trailing spaces on '%dg'",
        "1g.5gb+| cannot parse attributes of '1g.5gb+': empty attribute in list",
        "1g.5gb+me,me| cannot parse attributes of '1g.5gb+me,me': non unique attribute in list",
        "1g.5gb+1me| cannot parse attributes of '1g.5gb+1me': attribute begins with a number",
        "1g.5gb+me.| cannot parse attributes of '1g.5gb+me.': non alpha-numeric character or digit in attribute",
        "1g.5gb+me-gfx| cannot parse attributes of '1g.5gb+me-gfx': non alpha-numeric character or digit in attribute",
        "1g.5gb+ me| cannot parse attributes of '1g.5gb+ me': leading or trailing spaces in attribute"
      })
  void invalidProfileName_isRefused(String name, String why) {
    assertThat(catching(name)).contains(why);
  }

  private static Optional<String> catching(String name) {
    try {
      ProfileName.parse(name);
      return Optional.empty();
    } catch (ProfileName.Malformed wrong) {
      return Optional.of(wrong.why());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1g.5gb, 1g.5gb",
    "1c.1g.5gb, 1g.5gb",
    "1c.3g.20gb, 1c.3g.20gb",
    "1g.10gb+me, 1g.10gb+me",
    "1g.24gb-me, 1g.24gb-me",
    "1g.24gb+me.all, 1g.24gb+me.all"
  })
  void aProfileIsReadByItsName(String name, String same) throws ProfileName.Malformed {
    assertThat(ProfileName.parse(name).name()).isEqualTo(same);
  }

  @Test
  void everyFieldIsRead() {
    MigConfig config =
        accepted(
            """
            version: v1
            mig-configs:
              all-disabled:
              - devices: all
                mig-enabled: false
              mixed:
              - device-filter: ["0x20B010DE", "0x233010DE:0x16C110DE"]
                devices: [0, 2]
                mig-enabled: yes
                mig-devices: {1g.5gb: 2, 3g.20gb: 1, 2g.10gb: 0}
              - device-filter: ""
                devices: "all"
                mig-enabled: true
                mig-devices: {}
            """);

    assertThat(config.layouts()).containsOnlyKeys("all-disabled", "mixed");
    MigEntry first = config.entries("mixed").getFirst();
    assertThat(first.filters()).hasSize(2);
    assertThat(first.devices()).contains(List.of(0, 2));
    assertThat(first.isForAll()).isFalse();
    assertThat(first.unreadableFilters()).isEmpty();
    assertThat(first.counts().keySet().stream().map(MigProfile::name))
        .containsExactly("1g.5gb", "3g.20gb");
    assertThat(config.entries("mixed").getLast().isForAll()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "0x20B010DE, true",
    "548409566, true",
    "04054010336, true",
    "0o4054010336, true",
    "0b100000101100000001000011011110, true",
    "0X20b010de, true",
    "0x120B010DE, false",
    "0x, false",
    "20B010DE, false",
    "0x20B010DE:0x134F10DE, true",
    "0x20B010DE:0x134F10DF, false",
    "0x20B110DE, false",
    "MODEL, false",
    "0x20B010DE:1:2, false",
    "'', false"
  })
  void aFilterIsAnIdOfABoard(String filter, boolean matches) {
    var ids = new dev.pitcrew.device.mig.PciIds(0x20B010DE, 0x134F10DE);

    assertThat(DeviceFilter.parse(filter).filter(found -> found.matches(ids)).isPresent())
        .isEqualTo(matches);
  }

  @Test
  void filtersThatAreNoIdsAreNamed() {
    var entry =
        new MigEntry(
            List.of("MODEL", "0x20B010DE", "A100-SXM4"), Optional.empty(), false, Map.of());

    assertThat(entry.unreadableFilters()).containsExactly("MODEL", "A100-SXM4");
  }

  @Test
  void aLabelIsNeededWhereThereAreSeveral() {
    MigConfig two = accepted(labels("a", "b"));
    MigConfig one = accepted(labels("a"));

    assertThat(two.select(""))
        .isEqualTo(
            new Selection.None(
                "missing required flag 'selected-config' when more than one config available"));
    assertThat(two.select("c")).isEqualTo(new Selection.None("selected mig-config not present: c"));
    assertThat(one.select("")).isInstanceOf(Selection.Selected.class);
    assertThat(accepted("version: v1\n").select("a"))
        .isEqualTo(new Selection.None("selected mig-config not present: a"));
  }

  private static String labels(String... labels) {
    return "version: v1\nmig-configs:\n"
        + Arrays.stream(labels)
            .map("  %s: [{devices: all, mig-enabled: false}]\n"::formatted)
            .collect(Collectors.joining());
  }

  private static MigConfig accepted(String text) {
    var parsed = MigConfigParser.parse(text);
    assertThat(parsed).isInstanceOf(ParsedMigConfig.Accepted.class);
    return ((ParsedMigConfig.Accepted) parsed).config();
  }
}
