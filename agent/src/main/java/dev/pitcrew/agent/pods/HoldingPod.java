package dev.pitcrew.agent.pods;

/// A pod of this node that holds a device.
///
/// @param uid empty where the kubelet's memory does not have it
public record HoldingPod(String namespace, String name, String uid) {}
