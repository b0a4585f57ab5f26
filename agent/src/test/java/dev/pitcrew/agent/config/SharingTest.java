package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import dev.pitcrew.device.sharing.Sharing.Strategy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SharingTest {
  private static final DeviceSelection ALL = new DeviceSelection.All();

  @Test
  void timeSlicingSharesAResourceUnderItsName() {
    assertThat(sharing("timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}"))
        .isEqualTo(
            new Sharing(
                Strategy.TIME_SLICING,
                List.of(new SharedResource("nvidia.com/gpu", Optional.empty(), ALL, 4)),
                false));
  }

  @Test
  void mps_failsRequestsForMoreThanOne_unlessConfiguredOtherwise() {
    String item = "resources: [{name: gpu, replicas: 2}]";

    assertThat(sharing("mps: {%s}".formatted(item)).failRequestsGreaterThanOne()).isTrue();
    assertThat(
            sharing("mps: {failRequestsGreaterThanOne: false, %s}".formatted(item))
                .failRequestsGreaterThanOne())
        .isFalse();
  }

  @Test
  void renameByDefaultAddsShared() {
    assertThat(
            sharing("timeSlicing: {renameByDefault: true, resources: [{name: gpu, replicas: 2}]}")
                .resources())
        .containsExactly(
            new SharedResource("nvidia.com/gpu", Optional.of("nvidia.com/gpu.shared"), ALL, 2));
  }

  @ParameterizedTest
  @CsvSource({"false, nvidia.com/gpu", "true, nvidia.com/gpu.shared"})
  void otherNamesHaveNoEffect(boolean renameByDefault, String offeredAs) {
    var parsed =
        parsed(
            "timeSlicing: {renameByDefault: %s, resources: [{name: gpu, rename: slice, replicas: 2}]}"
                .formatted(renameByDefault));

    assertThat(parsed.config().sharing().resources().getFirst().offeredAs()).isEqualTo(offeredAs);
    assertThat(parsed.warnings())
        .containsExactly(
            "sharing.timeSlicing.resources[0].rename is 'nvidia.com/slice' and has no effect: the"
                + " replicas are offered as "
                + offeredAs);
  }

  @Test
  void mpsWinsOverTimeSlicingButSaysSo() {
    var parsed =
        parsed(
            "{timeSlicing: {resources: [{name: gpu, replicas: 2}]},"
                + " mps: {resources: [{name: gpu, replicas: 3}]}}");

    assertThat(parsed.config().sharing().strategy()).isEqualTo(Strategy.MPS);
    assertThat(parsed.warnings())
        .containsExactly("sharing.timeSlicing has no effect because sharing.mps is given as well");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"timeSlicing: {}", "timeSlicing: {resources: []}", "timeSlicing: {resources: 3}"})
  void sharingNeedsResources(String sharing) {
    assertThat(problems(sharing))
        .containsExactly(
            "sharing.timeSlicing.resources: no resources specified; list at least one with name"
                + " and replicas");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{replicas: 2} | name: %s",
        "{name: foo.com/x, replicas: 2} | name is 'foo.com/x': %s",
        "{name: GPU, replicas: 2} | name is 'GPU': %s",
        "{name: gpu} | replicas: give a whole number, 2 or more",
        "{name: gpu, replicas: 1} | replicas is '1': give a whole number, 2 or more",
        "{name: gpu, replicas: '4'} | replicas is '4': give a whole number, 2 or more",
        "{name: gpu, replicas: 09} | replicas is '09': give a whole number, 2 or more",
        "{name: gpu, replicas: 2.5} | replicas is '2.5': give a whole number, 2 or more",
      })
  void itemThatIsWrongIsNamed(String item, String problem) {
    String written = item.replace("'", "\"");

    assertThat(problems("timeSlicing: {resources: [%s]}".formatted(written)))
        .containsExactly(
            "sharing.timeSlicing.resources[0]." + problem.formatted(ResourceName.VALID));
  }

  @Test
  void keysBelowTheWayOfSharingMatchExactly() {
    assertThat(
            parsed("timeSlicing: {Renamebydefault: true, resources: [{name: gpu, replicas: 2}]}")
                .warnings())
        .containsExactly("sharing.timeSlicing.Renamebydefault is no known key and has no effect");
    assertThat(
            parsed("timeSlicing: {resources: [{name: gpu, replica: 3, replicas: 2}]}").warnings())
        .containsExactly(
            "sharing.timeSlicing.resources[0].replica is no known key and has no effect");
  }

  @Test
  void resourceThatIsListedTwice_usesTheFirst() {
    var parsed =
        parsed(
            "timeSlicing: {resources: [{name: gpu, replicas: 2}, {name: nvidia.com/gpu, replicas:"
                + " 3}, {name: mig-1g.5gb, replicas: 4}]}");

    assertThat(parsed.config().sharing().of("nvidia.com/gpu").map(SharedResource::replicas))
        .contains(2);
    assertThat(parsed.warnings())
        .containsExactly(
            "sharing.timeSlicing.resources names nvidia.com/gpu more than once; the first counts");
  }

  @ParameterizedTest
  @ValueSource(strings = {"renameByDefault", "failRequestsGreaterThanOne"})
  void valueThatIsNoBoolean_isRefused(String key) {
    assertThat(
            problems(
                "timeSlicing: {%s: often, resources: [{name: gpu, replicas: 2}]}".formatted(key)))
        .containsExactly("sharing.timeSlicing.%s is 'often': give true or false".formatted(key));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3 | First[count=3]",
        "all | All[]",
        "[0, '1', 1:0] | Listed[references=[0, 1, 1:0]]",
        "[GPU-12345678-1234-1234-1234-123456780000] |"
            + " Listed[references=[GPU-12345678-1234-1234-1234-123456780000]]",
        "[GPU-12345678123412341234123456780000] |"
            + " Listed[references=[GPU-12345678123412341234123456780000]]",
        "[MIG-GPU-12345678-1234-1234-1234-123456780000/3/0] |"
            + " Listed[references=[MIG-GPU-12345678-1234-1234-1234-123456780000/3/0]]",
      })
  void selectionsAreHonoured(String devices, String expected) {
    var sharing =
        sharing(
            "timeSlicing: {resources: [{name: gpu, replicas: 2, devices: %s}]}"
                .formatted(devices.replace("'", "\"")));

    assertThat(sharing.resources().getFirst().devices()).hasToString(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"some", "0", "-1", "1.5", "[]", "[x]", "[-1]", "[GPU-1]", "[[0]]"})
  void selectionThatNamesNothingIsRefused(String devices) {
    assertThat(
            problems(
                "timeSlicing: {resources: [{name: gpu, replicas: 2, devices: %s}]}"
                    .formatted(devices)))
        .singleElement()
        .asString()
        .startsWith("sharing.timeSlicing.resources[0].devices is '")
        .endsWith(DeviceSelector.VALID);
  }

  @Test
  void nameMayHave63CharactersWithItsVendor() {
    String longest = "a".repeat(63 - ResourceName.PREFIX.length());

    assertThat(ResourceName.parse(longest)).isPresent();
    assertThat(ResourceName.parse(longest + "a")).isEmpty();
    assertThat(ResourceName.parse("nvidia.com/")).isEmpty();
    assertThat(ResourceName.parse("a_b")).isEmpty();
    assertThat(ResourceName.parse("a.-b")).isEmpty();
    assertThat(ResourceName.parse("mig-1g.10gb.me.all")).isPresent();
  }

  private static ParsedConfig.Accepted parsed(String sharing) {
    return Configs.accepted(
        ConfigParser.parse(Program.LABELS, Configs.sources(Map.of(), Map.of(), file(sharing))));
  }

  private static Sharing sharing(String sharing) {
    return parsed(sharing).config().sharing();
  }

  private static List<String> problems(String sharing) {
    return Configs.problems(
        ConfigParser.parse(Program.LABELS, Configs.sources(Map.of(), Map.of(), file(sharing))));
  }

  private static String file(String sharing) {
    return "sharing: " + (sharing.startsWith("{") ? sharing : "{" + sharing + "}");
  }
}
