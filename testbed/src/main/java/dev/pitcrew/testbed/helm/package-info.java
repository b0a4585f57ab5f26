/// Helm as a library, the one way to render, lint and install a chart from a folder.
///
/// Owns nothing. Never touches repositories or the user's own Helm configuration, and talks to no
/// cluster but the one of the kubeconfig that it is given, and to no registry but the one that a
/// chart is pushed to.
@NullMarked
package dev.pitcrew.testbed.helm;

import org.jspecify.annotations.NullMarked;
