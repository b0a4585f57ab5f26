package dev.pitcrew.kube.apply;

import dev.pitcrew.kube.ObjectKey;

/// One write that the API server has accepted.
public record Write(Verb verb, ObjectKey object) {}
