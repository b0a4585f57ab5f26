//go:build tools

// Package tools pins the client of registries that 'make push' and tests build.
package tools

import (
	_ "github.com/google/go-containerregistry/cmd/crane"
)
