//go:build tools

// Package tools pins the runtime below containerd that the test bed builds.
package tools

import _ "github.com/opencontainers/runc"
