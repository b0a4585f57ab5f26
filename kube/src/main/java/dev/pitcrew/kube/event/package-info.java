/// Kubernetes Events: what a user sees under `kubectl describe`. They report transitions, never a
/// state, and nothing depends on their arrival.
@NullMarked
package dev.pitcrew.kube.event;

import org.jspecify.annotations.NullMarked;
