package dev.pitcrew.device.inventory;

/// The brand of a board, in the order of nvmlBrandType_t in nvml.h.
public enum Brand {
  UNKNOWN("Unknown", "Unknown"),
  QUADRO("Quadro", "Quadro"),
  TESLA("Tesla", "Tesla"),
  NVS("NVS", "NVS"),
  GRID("GRID", "Grid"),
  GEFORCE("GeForce", "GeForce"),
  TITAN("Titan", "Titan"),
  NVIDIA_VAPPS("NVIDIA vApps", "NvidiaVApps"),
  NVIDIA_VPC("NVIDIA Virtual PC", "NvidiaVPC"),
  NVIDIA_VCS("NVIDIA Virtual Compute Server", "NvidiaVCS"),
  NVIDIA_VWS("NVIDIA RTX Virtual Workstation", "NvidiaVWS"),
  NVIDIA_CLOUD_GAMING("NVIDIA Cloud Gaming", "NvidiaCloudGaming"),
  QUADRO_RTX("Quadro RTX", "QuadroRTX"),
  NVIDIA_RTX("NVIDIA RTX", "NvidiaRTX"),
  NVIDIA("NVIDIA", "Nvidia"),
  GEFORCE_RTX("GeForce RTX", "GeForceRTX"),
  TITAN_RTX("Titan RTX", "TitanRTX");

  private final String words;
  private final String identifier;

  Brand(String words, String identifier) {
    this.words = words;
    this.identifier = identifier;
  }

  /// As nvidia-smi writes it.
  public String words() {
    return words;
  }

  /// As NVIDIA's DRA driver writes it in ResourceSlices.
  public String identifier() {
    return identifier;
  }

  /// [#UNKNOWN] for a number of a newer driver.
  ///
  /// @param number nvmlBrandType_t
  public static Brand of(int number) {
    return number >= 0 && number < values().length ? values()[number] : UNKNOWN;
  }
}
