/// Every write to the cluster: server-side apply of whole objects, patches of metadata and status,
/// deletes.
///
/// An object is written only when it differs, so that a steady state costs neither a write nor a
/// read. All writes pass through [Writes], which counts them and is where a test can stop the
/// process. Nothing here decides what the cluster should look like.
@NullMarked
package dev.pitcrew.kube.apply;

import org.jspecify.annotations.NullMarked;
