/// Container images without a registry or a daemon: an archive that `ctr images import` and `docker
/// load` take, made from files, the same bytes for the same files.
///
/// Owns the archives that it writes and nothing else. Never pulls and never pushes.
@NullMarked
package dev.pitcrew.testbed.image;

import org.jspecify.annotations.NullMarked;
