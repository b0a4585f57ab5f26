package dev.pitcrew.kube.apply;

import dev.pitcrew.core.names.FieldManagers;

/// Under which name a process writes; the API server remembers per field who set it.
public record FieldManager(String name) {

  public static final FieldManager OPERATOR = new FieldManager(FieldManagers.OPERATOR);
  public static final FieldManager AGENT = new FieldManager(FieldManagers.AGENT);
}
