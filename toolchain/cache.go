package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrForeignCache reports machine code that is not what Warm produced.
var ErrForeignCache = errors.New("not the compiler's machine code")

// Cache is the machine code of the compiler, for processes that must not
// produce it themselves.
type Cache struct {
	// Dir is the folder that Options.CacheDir names.
	Dir string
	// Digest is its FolderDigest.
	Digest string
}

// Check returns ErrForeignCache if the folder does not have the digest. A
// process checks a cache that another one wrote before it executes the content.
func (c Cache) Check() error {
	digest, err := FolderDigest(c.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForeignCache, err)
	}
	if digest != c.Digest {
		return fmt.Errorf("%w: %s has the digest %s", ErrForeignCache, c.Dir, digest)
	}
	return nil
}

// Warm translates the compiler to machine code in a folder of its own below
// CacheDir, unless that was done before, and returns the folder. Every user may
// read it; CacheDir must be closed to other users who could write. Its errors are
// those of Open.
func Warm(ctx context.Context, options Options) (Cache, error) {
	if err := os.MkdirAll(options.CacheDir, 0o755); err != nil {
		return Cache{}, err
	}
	warm := filepath.Join(options.CacheDir, "cairo-"+wasmIdentity.Digest[:16])
	cold := options.CacheDir
	options.CacheDir = warm
	if _, err := os.Stat(warm); errors.Is(err, fs.ErrNotExist) {
		if err := warmUp(ctx, options, cold); err != nil {
			return Cache{}, err
		}
	}
	// A newer release of the program adds code to the folder of an older one.
	if err := translate(ctx, options); err != nil {
		return Cache{}, err
	}
	digest, err := FolderDigest(warm)
	return Cache{warm, digest}, err
}

// warmUp fills a new folder and moves it into place, so that no other process
// sees it half full. If another was faster, its folder stays.
func warmUp(ctx context.Context, options Options, parent string) error {
	temporary, err := os.MkdirTemp(parent, ".warming-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	warm := options.CacheDir
	options.CacheDir = temporary
	if err := translate(ctx, options); err != nil {
		return err
	}
	if err := os.Rename(temporary, warm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// translate fills the folder and lets other users read it.
func translate(ctx context.Context, options Options) error {
	compiler, err := Open(ctx, options)
	if err != nil {
		return err
	}
	if err := compiler.Close(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return filepath.WalkDir(options.CacheDir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.Chmod(path, 0o755) //nolint:gosec // the user of the sandbox reads it
		default:
			return os.Chmod(path, 0o644) //nolint:gosec // the user of the sandbox reads it
		}
	})
}
