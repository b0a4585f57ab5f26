/// What the cluster looks like, kept in memory by one list and one watch per kind.
///
/// A cache recovers automatically: a watch that ends is resumed where it stopped, a watch that
/// falls silent is replaced, a position that the API server no longer knows (410 Gone) is answered
/// by a new list, and all of it backs off with jitter. It never writes to the cluster, and it never
/// holds more of an object than [CacheOptions] lets through.
@NullMarked
package dev.pitcrew.kube.cache;

import org.jspecify.annotations.NullMarked;
