/// Reads the cluster by `kubectl get --raw`, so that every kubeconfig, exec plugin and proxy works
/// as it does for kubectl, and no client library is needed.
@NullMarked
package dev.pitcrew.cli.transport;

import org.jspecify.annotations.NullMarked;
