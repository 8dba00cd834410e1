package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"astrolabe/domain/verify"
	"astrolabe/sandbox"
	"astrolabe/toolchain"
)

// ErrForeignRelease reports a folder that is not the pinned Scarb release.
var ErrForeignRelease = errors.New("not the pinned Scarb release")

// Release is a pinned Scarb release.
type Release struct {
	// Dir is the unpacked release, with bin/scarb in it. Its programs must be
	// linked statically, because the libraries of the host are not visible inside.
	Dir string
	// Version is the release's, such as 2.8.2.
	Version string
	// Digest is the toolchain.FolderDigest of Dir, after "sha256:".
	Digest string
}

// Scarb builds contracts with a Scarb release. It has not run with a real release
// yet: tests use a program that behaves as Scarb's documentation says.
type Scarb struct {
	runner
	release Release
}

var _ verify.Compiler = (*Scarb)(nil)

// OpenScarb checks the release, outside and inside the sandbox, which must be
// able to read it: see sandbox.Mount. It returns ErrForeignRelease for a folder
// with another digest.
func OpenScarb(ctx context.Context, box *sandbox.Sandbox, release Release, limits sandbox.Limits) (*Scarb, error) {
	dir, err := filepath.Abs(release.Dir)
	if err != nil {
		return nil, err
	}
	digest, err := toolchain.FolderDigest(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeignRelease, err)
	}
	if "sha256:"+digest != release.Digest {
		return nil, fmt.Errorf("%w: %s has the digest sha256:%s", ErrForeignRelease, release.Dir, digest)
	}
	s := &Scarb{release: release, runner: runner{box: box, entry: scarbEntry, limits: limits,
		digest: strings.TrimPrefix(release.Digest, "sha256:"), mounts: []sandbox.Mount{{Host: dir, Inside: scarbInside}}}}
	if err := s.check(ctx); err != nil {
		return nil, fmt.Errorf("the Scarb release cannot be used in the sandbox: %w", err)
	}
	return s, nil
}

// Toolchain implements verify.Compiler.
func (s *Scarb) Toolchain() verify.Toolchain {
	return verify.Toolchain{Name: "scarb", Version: s.release.Version, Digest: s.release.Digest}
}

// Compile implements verify.Compiler.
func (s *Scarb) Compile(ctx context.Context, archive io.Reader, p verify.Package) (*verify.Output, error) {
	return s.compile(ctx, archive, p)
}
