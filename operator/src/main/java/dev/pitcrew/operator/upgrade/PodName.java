package dev.pitcrew.operator.upgrade;

/// One pod and no later one of the same name.
public record PodName(String namespace, String name, String uid) {

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
