/// What of the objects of the API server the commands need, as records.
@NullMarked
package dev.pitcrew.cli.cluster;

import org.jspecify.annotations.NullMarked;
