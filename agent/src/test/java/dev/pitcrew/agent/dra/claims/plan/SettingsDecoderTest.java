package dev.pitcrew.agent.dra.claims.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForGpu;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForMigDevice;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForVfioDevice;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.IommuBackend;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.Sharing;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.TimeSlice;
import dev.pitcrew.agent.dra.claims.plan.SettingsDecoder.Decoded;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which settings are accepted, and what users read about those that are not. In the tables `'`
/// stands for `"`, and `~` for the fields of the API version.
class SettingsDecoderTest {
  private static final String VERSION = "'apiVersion':'resource.nvidia.com/v1beta1','kind':";

  private static Decoded decode(String text, FeatureSwitches switches) throws IOException {
    String json = text.replace("~", VERSION).replace('\'', '"');
    return new SettingsDecoder(switches).decode(new ObjectMapper().readTree(json));
  }

  private static DeviceSettings accepted(String text) throws IOException {
    return switch (decode(text, new FeatureSwitches(true, true, false))) {
      case Decoded.Accepted(var settings) -> settings;
      case Decoded.Invalid(_, var problem) -> throw new AssertionError(problem.text());
      case Decoded.Malformed(var problem) -> throw new AssertionError(problem.text());
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{~'GpuConfig','sharing':{'strategy':'TimeSlicing'}} | DEFAULT",
        "{~'GpuConfig','sharing':{'strategy':'TimeSlicing','timeSlicingConfig':null}} | DEFAULT",
        "{~'GpuConfig','sharing':{'strategy':'TimeSlicing','timeSlicingConfig':{'interval':'Medium'}}} | MEDIUM",
      })
  void timeSlicesHaveADefault(String text, TimeSlice expected) throws IOException {
    assertThat(accepted(text))
        .isEqualTo(new ForGpu(Optional.of(new Sharing.TimeSlicing(expected))));
  }

  @Test
  void allFieldsAreRead() throws IOException {
    var mps = new Sharing.Mps(OptionalInt.of(50), OptionalLong.of(1024), Map.of("0", 953L), true);
    String sharing =
        "{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':50,"
            + "'defaultPinnedDeviceMemoryLimit':'1Gi',"
            + "'defaultPerDevicePinnedMemoryLimit':{'0':'1G'},'multiUser':true}}";
    assertThat(accepted("{~'GpuConfig','sharing':" + sharing + "}"))
        .isEqualTo(new ForGpu(Optional.of(mps)));
    assertThat(accepted("{~'MigDeviceConfig','sharing':" + sharing + "}"))
        .isEqualTo(new ForMigDevice(Optional.of(mps)));
    assertThat(accepted("{~'GpuConfig'}")).isEqualTo(DeviceSettings.GPU_DEFAULT);
    assertThat(accepted("{~'MigDeviceConfig','sharing':null}"))
        .isEqualTo(DeviceSettings.MIG_DEFAULT);
    assertThat(
            accepted(
                "{~'VfioDeviceConfig','iommu':{'backendPolicy':'PreferIommuFD','enableAPIDevice':false}}"))
        .isEqualTo(new ForVfioDevice(IommuBackend.PREFER_IOMMU_FD, Optional.of(false)));
    assertThat(accepted("{~'VfioDeviceConfig'}"))
        .isEqualTo(new ForVfioDevice(IommuBackend.LEGACY_ONLY, Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | parameters is a list; allowed: an object",
        "{} | apiVersion is missing; allowed: resource.nvidia.com/v1beta1",
        "{'apiVersion':1} | apiVersion is 1; allowed: a text",
        "{'apiVersion':'v9','kind':'GpuConfig'} | apiVersion is 'v9'; allowed: resource.nvidia.com/v1beta1",
        "{~null} | kind is missing; allowed: GpuConfig, MigDeviceConfig, VfioDeviceConfig",
        "{~'ComputeDomainChannelConfig','domainID':'x'} | kind is 'ComputeDomainChannelConfig'; allowed: GpuConfig, MigDeviceConfig, VfioDeviceConfig",
        "{~'GpuConfig','colour':'red'} | unknown field colour; allowed: apiVersion, kind, sharing",
        "{~'GpuConfig','sharing':{'strategy':'MPS','mpsConfig':{'x':1}}} | unknown field sharing.mpsConfig.x; allowed: defaultActiveThreadPercentage, defaultPinnedDeviceMemoryLimit, defaultPerDevicePinnedMemoryLimit, multiUser",
        "{~'GpuConfig','sharing':'TimeSlicing'} | sharing is 'TimeSlicing'; allowed: an object",
        "{~'MigDeviceConfig','sharing':{'strategy':'TimeSlicing','timeSlicingConfig':{}}} | unknown field sharing.timeSlicingConfig; allowed: strategy, mpsConfig",
        "{~'GpuConfig','sharing':{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':1.5}}} | sharing.mpsConfig.defaultActiveThreadPercentage is 1.5; allowed: 0 to 100",
        "{~'GpuConfig','sharing':{'strategy':'MPS','mpsConfig':{'defaultPinnedDeviceMemoryLimit':'lots'}}} | sharing.mpsConfig.defaultPinnedDeviceMemoryLimit is 'lots'; allowed: a quantity such as 512Mi or 1G",
      })
  void malformedSettingsAreRefusedEverywhere(String text, String problem) throws IOException {
    assertThat(decode(text, new FeatureSwitches(true, true, false)))
        .isInstanceOfSatisfying(
            Decoded.Malformed.class,
            it -> assertThat(it.problem().text()).isEqualTo(problem.replace('\'', '"')));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{~'GpuConfig','sharing':{}} | sharing.strategy is missing; allowed: TimeSlicing, MPS",
        "{~'GpuConfig','sharing':{'strategy':'Magic'}} | sharing.strategy is 'Magic'; allowed: TimeSlicing, MPS",
        "{~'GpuConfig','sharing':{'strategy':'TimeSlicing','timeSlicingConfig':{'interval':'Eternal'}}} | sharing.timeSlicingConfig.interval is 'Eternal'; allowed: Default, Short, Medium, Long",
        "{~'GpuConfig','sharing':{'strategy':'TimeSlicing','timeSlicingConfig':{}}} | sharing.timeSlicingConfig.interval is missing; allowed: Default, Short, Medium, Long",
        "{~'GpuConfig','sharing':{'strategy':'TimeSlicing','timeSlicingConfig':{'interval':null}}} | sharing.timeSlicingConfig.interval is missing; allowed: Default, Short, Medium, Long",
        "{~'GpuConfig','sharing':{'strategy':'TimeSlicing','mpsConfig':{}}} | sharing.mpsConfig is set, and sharing.strategy is 'TimeSlicing'; allowed with it: timeSlicingConfig",
        "{~'GpuConfig','sharing':{'strategy':'MPS','timeSlicingConfig':{}}} | sharing.timeSlicingConfig is set, and sharing.strategy is 'MPS'; allowed with it: mpsConfig",
        "{~'GpuConfig','sharing':{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':-1}}} | sharing.mpsConfig.defaultActiveThreadPercentage is -1; allowed: 0 to 100",
        "{~'GpuConfig','sharing':{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':101}}} | sharing.mpsConfig.defaultActiveThreadPercentage is 101; allowed: 0 to 100",
        "{~'GpuConfig','sharing':{'strategy':'MPS','mpsConfig':{'defaultPinnedDeviceMemoryLimit':'1Ki'}}} | sharing.mpsConfig.defaultPinnedDeviceMemoryLimit is 1024 bytes; allowed: 1Mi or more",
        "{~'VfioDeviceConfig','iommu':{'backendPolicy':'None'}} | iommu.backendPolicy is 'None'; allowed: LegacyOnly, PreferIommuFD",
      })
  void wrongValuesAreRefusedWhereTheyApply(String text, String problem) throws IOException {
    assertThat(decode(text, new FeatureSwitches(true, true, false)))
        .isInstanceOfSatisfying(
            Decoded.Invalid.class,
            it -> assertThat(it.problem().text()).isEqualTo(problem.replace('\'', '"')));
  }

  @ParameterizedTest
  @CsvSource({
    "GpuConfig, TimeSlicing, TimeSlicingSettings",
    "GpuConfig, MPS, MPSSupport",
    "MigDeviceConfig, MPS, MPSSupport"
  })
  void strategyThatIsSwitchedOffIsRefused(String kind, String strategy, String gate)
      throws IOException {
    String text = "{~'%s','sharing':{'strategy':'%s'}}".formatted(kind, strategy);
    assertThat(decode(text, new FeatureSwitches(false, false, false)))
        .isInstanceOfSatisfying(
            Decoded.Invalid.class,
            it ->
                assertThat(it.problem().text())
                    .contains("sharing.strategy is \"" + strategy + "\"", gate));
    assertThat(decode(text, new FeatureSwitches(true, true, false)))
        .isInstanceOf(Decoded.Accepted.class);
  }

  @ParameterizedTest
  @CsvSource({
    "1Gi, 1073741824",
    "1G, 1000000000",
    "1.5Ki, 1536",
    "100m, 0",
    "1e3, 1000",
    "1E3, 1000",
    "12e-1, 1",
    "0, 0",
    "-1, -1",
    "1E, 1000000000000000000",
    "8Ei, 9223372036854775807",
    "1e9999, 9223372036854775807",
    "-1e9999, -9223372036854775808",
    "1e-9999, 0",
    ".5Ki, 512",
    "lots, ",
    "1 Gi, ",
    "1Xi, ",
    "1e99999, ",
    "1e+, ",
    "1.2.3, ",
    "., ",
    "'', ",
  })
  void quantitiesAreThoseOfKubernetes(String text, Long bytes) {
    assertThat(MemoryQuantity.bytes(text)).isEqualTo(Optional.ofNullable(bytes));
  }
}
