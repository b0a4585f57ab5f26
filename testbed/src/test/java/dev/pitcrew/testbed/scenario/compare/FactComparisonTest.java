package dev.pitcrew.testbed.scenario.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.scenario.facts.FactsText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FactComparisonTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'a':1}                ; {'a':1}                ; 1 ; 1",
        "{'a':1}                ; {'a':2}                ; 0 ; 1",
        "{'a':1}                ; {'a':1.0}              ; 0 ; 1",
        "{'a':1}                ; {'a':true}             ; 0 ; 1",
        "{'a':1}                ; {'a':'1'}              ; 0 ; 1",
        "{'a':null}             ; {}                     ; 0 ; 2",
        "{'a':{}}               ; {'a':{'b':1}}          ; 0 ; 2",
        "{'a':[1,2]}            ; {'a':[2,1]}            ; 0 ; 2",
        "{'a':[1]}              ; {'a':[1,2]}            ; 1 ; 2",
        "{'a':{'b':1},'c':2}    ; {'c':2}                ; 1 ; 2",
        "{'a':'(absent)'}       ; {'b':1,'a':'(absent)'} ; 1 ; 2"
      })
  void everyLeafOfEitherSideCounts(String expected, String actual, int equal, int compared) {
    var comparison = compare(IgnoreFile.none(), expected, actual);
    assertThat(comparison.equal()).isEqualTo(equal);
    assertThat(comparison.compared()).isEqualTo(compared);
  }

  @Test
  void aDifferenceNamesBothSides() {
    assertThat(compare(IgnoreFile.none(), "{'a':{'b':['x']}}", "{}").differences())
        .contains(new Difference("a | b | [0]", "\"x\"", "(absent)"));
  }

  @Test
  void ignoredFactsAreLeftOutEqualOrNot() {
    var ignore = ignore("K/a | * # differs by design");
    var comparison = compare(ignore, "{'K/a':{'x':1,'y':2},'K/b':1}", "{'K/a':{'x':1},'K/b':1}");
    assertThat(comparison.isEqual()).isTrue();
    assertThat(comparison.compared()).isEqualTo(1);
    assertThat(comparison.ignored())
        .extracting(fact -> fact.path() + " " + fact.isEqual())
        .containsExactly("K/a | x true", "K/a | y false");
  }

  @Test
  void aLineForOtherScenariosHidesNothing() {
    var comparison = compare(ignore("[other] K/a # only there"), "{'K/a':1}", "{'K/a':2}");
    assertThat(comparison.differences()).hasSize(1);
    assertThat(comparison.ignored()).isEmpty();
  }

  @Test
  void eachLineIsChargedWithWhatItAloneHides() {
    var ignore = ignore("K/a | x # one", "K/a | * # two", "K/a | y # three", "[s] K/z # four");
    var comparison = compare(ignore, "{'K/a':{'x':1,'y':2,'z':3}}", "{'K/a':{'x':1}}");
    var uses = IgnoreUse.of(ignore, Map.of("s", List.of(comparison, comparison)));
    assertThat(uses).extracting(IgnoreUse::hidden).containsExactly(2, 4, 0, 0);
    assertThat(uses).extracting(IgnoreUse::different).containsExactly(0, 4, 0, 0);
    assertThat(uses.getFirst().hiddenByScenario()).isEqualTo(Map.of("s", 2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "K/z # any     ; s,t ; s,t ; true",
        "K/z # any     ; s,t ; s   ; false",
        "[s] K/z # any ; s,t ; s   ; true",
        "[t] K/z # any ; s,t ; s   ; false"
      })
  void aLineIsStaleOnlyWhereItCouldHaveHiddenSomething(
      String line, String all, String played, boolean isStale) {
    var use = IgnoreUse.of(ignore(line), Map.of()).getFirst();
    assertThat(use.isStale(names(all), names(played))).isEqualTo(isStale);
  }

  private static Set<String> names(String list) {
    return Set.of(list.split(","));
  }

  private static IgnoreFile ignore(String... lines) {
    return IgnoreFile.parse(Path.of("ignore"), List.of(lines));
  }

  private static Comparison compare(IgnoreFile ignore, String expected, String actual) {
    return new FactComparison("s", ignore)
        .compare(
            FactsText.parse(expected.replace('\'', '"')),
            FactsText.parse(actual.replace('\'', '"')));
  }
}
