package dev.pitcrew.device.inventory;

/// The GPU architecture that belongs to a CUDA compute capability (NVIDIA's table of compute
/// capabilities in the CUDA programming guide).
public enum Architecture {
  TESLA("Tesla"),
  FERMI("Fermi"),
  KEPLER("Kepler"),
  MAXWELL("Maxwell"),
  PASCAL("Pascal"),
  VOLTA("Volta"),
  TURING("Turing"),
  AMPERE("Ampere"),
  ADA_LOVELACE("Ada Lovelace"),
  HOPPER("Hopper"),
  BLACKWELL("Blackwell"),
  RUBIN("Rubin"),
  /// A capability that is newer than this table, or that NVML does not report.
  UNDEFINED("Undefined");

  private static final int TURING_MINOR = 5;
  private static final int ADA_MINOR = 9;

  private final String title;

  Architecture(String title) {
    this.title = title;
  }

  /// As NVIDIA writes it, such as `Ada Lovelace`.
  public String title() {
    return title;
  }

  public static Architecture of(ComputeCapability capability) {
    return switch (capability.major()) {
      case 1 -> TESLA;
      case 2 -> FERMI;
      case 3 -> KEPLER;
      case 5 -> MAXWELL;
      case 6 -> PASCAL;
      case 7 -> capability.minor() < TURING_MINOR ? VOLTA : TURING;
      case 8 -> capability.minor() < ADA_MINOR ? AMPERE : ADA_LOVELACE;
      case 9 -> HOPPER;
      case 10, 12 -> BLACKWELL;
      case 13 -> RUBIN;
      default -> UNDEFINED;
    };
  }
}
