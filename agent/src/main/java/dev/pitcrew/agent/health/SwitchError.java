package dev.pitcrew.agent.health;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// An SXid: an NVSwitch reports an error of its own. It names no GPU, so that it is held against
/// none.
///
/// @param pciAddress of the switch, as the kernel writes it
/// @param isFatal whether the driver calls it fatal to the fabric
/// @param text of the driver, such as `Link 27 LTSSM Fault Up`; printable, without semicolons
/// @param since when it was reported first
public record SwitchError(
    String pciAddress, long number, boolean isFatal, String text, Instant since) {
  private static final int LONGEST = 96;

  public SwitchError {
    String clean = text.replaceAll("[^\\x20-\\x7e]", "?").replace(';', ',');
    text = clean.substring(0, Math.min(clean.length(), LONGEST));
  }

  /// `fatal` or `non-fatal`.
  public String severity() {
    return isFatal ? "fatal" : "non-fatal";
  }

  boolean isSameAs(SwitchError other) {
    return number == other.number && pciAddress.equals(other.pciAddress);
  }

  /// For people.
  @Override
  public String toString() {
    return "NVSwitch %s reported SXid %d (%s: %s) at %s"
        .formatted(pciAddress, number, severity(), text, since.truncatedTo(ChronoUnit.SECONDS));
  }
}
