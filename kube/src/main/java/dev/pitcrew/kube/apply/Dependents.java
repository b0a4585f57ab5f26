package dev.pitcrew.kube.apply;

import io.fabric8.kubernetes.api.model.DeletionPropagation;

/// What becomes of the objects that a deleted object owns.
public enum Dependents {
  /// They are deleted in the background.
  FOLLOW(DeletionPropagation.BACKGROUND),
  /// They are deleted before it goes.
  FIRST(DeletionPropagation.FOREGROUND),
  /// They stay, without an owner: pods go on running when their DaemonSet is deleted.
  STAY(DeletionPropagation.ORPHAN);

  private final DeletionPropagation propagation;

  Dependents(DeletionPropagation propagation) {
    this.propagation = propagation;
  }

  String propagationPolicy() {
    return propagation.toString();
  }
}
