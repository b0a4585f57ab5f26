/// The one connection that a process holds to the API server, and the deadline that bounds every
/// blocking call on it.
///
/// It sets nothing for the whole JVM: two clients with different options can live in one process.
@NullMarked
package dev.pitcrew.kube.client;

import org.jspecify.annotations.NullMarked;
