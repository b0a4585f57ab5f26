package dev.pitcrew.testbed.node;

/// Where in the network a node is.
///
/// @param networkInterface its end on this machine
/// @param address its own address
/// @param podRange the addresses of its pods
record NodePlace(String networkInterface, String address, String podRange) {}
