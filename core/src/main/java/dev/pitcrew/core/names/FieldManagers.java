package dev.pitcrew.core.names;

/// Under which names our processes write; the API server remembers per field who set it.
public final class FieldManagers {
  public static final String OPERATOR = "pitcrew";
  public static final String AGENT = "pitcrew-agent";
  public static final String DRIVER_MANAGER = "pitcrew-driver-manager";

  private FieldManagers() {}
}
