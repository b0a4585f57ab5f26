package dev.pitcrew.core.digest;

import java.util.stream.Collectors;

/// A short hash that may be part of an object's name, as the NVIDIA GPU Operator makes it: the
/// decimal FNV-1a of a text, each digit spelled with a letter or digit that forms no words.
public final class NameHash {
  private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

  private NameHash() {}

  /// Nine or ten characters.
  public static String of(String text) {
    return Fnv32a.decimal(text)
        .chars()
        .mapToObj(digit -> String.valueOf(ALPHABET.charAt(digit % ALPHABET.length())))
        .collect(Collectors.joining());
  }
}
