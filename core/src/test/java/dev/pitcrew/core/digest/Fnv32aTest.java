package dev.pitcrew.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Fnv32aTest {

  @ParameterizedTest
  @CsvSource({
    "'', 2166136261",
    "a, 3826002220",
    "foobar, 3214735720",
    // A driver configuration digest as driver containers in the field carry it.
    "DriverImage:(string)nvcr.io/nvidia/driver:525.85.03-ubuntu22.04DriverManagerImage:(string)nvcr.io/nvidia/cloud-native/k8s-driver-manager:develDriverType:(string)gpu, 886542011",
  })
  void digestsAreTheFieldsOwn(String text, String digest) {
    assertThat(Fnv32a.decimal(text)).isEqualTo(digest);
  }
}
