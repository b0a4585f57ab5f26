package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The source of settings as it outlives the process.
class SettingsTextTest {

  static Stream<Said> sources() {
    return Stream.of(
        Said.all(),
        Said.all().withoutDocument(),
        Said.all().noSuchConfigMap(),
        Said.all().document("").files(Map.of()),
        Said.all()
            .policy("{'devicePlugin': {'config': {'name': 'plugin'}}}")
            .files(Map.of("a", "version: v1\n", "b", "\"quoted\"\u0000 and ünicode"))
            .choosing("a")
            .modules("gdrdrv", "nvidia_fs"));
  }

  @ParameterizedTest
  @MethodSource("sources")
  void writtenSettings_areReadUnchanged(Said said) {
    assertThat(SettingsText.read(SettingsText.write(said.source()))).hasValue(said.source());
  }

  @ParameterizedTest
  @MethodSource("sources")
  void aTextThatWasCutShortIsNothing(Said said) {
    String text = SettingsText.write(said.source()).stripTrailing();

    for (int length = 0; length < text.length(); length++) {
      assertThat(SettingsText.read(text.substring(0, length))).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "7",
        "{}",
        "{\"version\": 2, \"namespace\": \"gpu-operator\"}",
        "{\"version\": 1, \"namespace\": 5}",
        "{\"version\": 1}"
      })
  void textOfAnotherVersion_isIgnored(String text) {
    assertThat(SettingsText.read(text)).isEmpty();
  }

  @Test
  void aTextThatNoSourceCanBeSoLongAsIsNothing() {
    String text = SettingsText.write(Said.all().source());

    assertThat(SettingsText.read(text + " ".repeat(8 << 20))).isEmpty();
  }

  @Test
  void settingsAreBuiltAgainFromWhatWasStored() {
    var before = Said.all().configMap(Map.of("two", "version: v1")).choosing("two");
    var wrong = Said.all().configMap(Map.of("two", "version: v1")).choosing("three").after(before);
    var stored = SettingsText.read(SettingsText.write(wrong.source())).orElseThrow();

    assertThat(SettingsPlan.decide(stored, Optional.empty()).settings())
        .isEqualTo(before.settings());
  }

  @Test
  void ignoredInput_makesNoDifference() {
    var noisy = Said.all().label("kubernetes.io/hostname", "a").modules("ext4");

    assertThat(noisy.source()).isEqualTo(Said.all().source());
    assertThat(noisy.decision()).isEqualTo(Said.all().decision());
  }
}
