/// A thin client of the Kubernetes API server, for a process that runs on every node: single
/// objects are read and written, one object at a time is watched, and Events are sent. Everything
/// shares one HTTP/2 connection. What a server or a network may do is a value, never an exception.
///
/// An idle minute costs no call: a watch is reopened once in 50 to 60 minutes.
///
/// Nothing here knows a GPU, decides what is written or keeps a copy of the cluster.
@NullMarked
package dev.pitcrew.agent.cluster;

import org.jspecify.annotations.NullMarked;
