package dev.pitcrew.kube.apply;

/// Under which name a process writes; the API server remembers per field who set it.
public record FieldManager(String name) {

  public static final FieldManager OPERATOR = new FieldManager("pitcrew");
}
