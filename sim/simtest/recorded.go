package simtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"astrolabe/sim"
	"astrolabe/sim/spectest"
)

// recorded returns the recording of a configuration's first blocks. Tests of
// several packages may build it at the same time; the last one stays.
func recorded(config sim.Config) (string, error) {
	folder, err := current()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%#v", config)))[:32])
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return path, err
	}
	dir, err := os.MkdirTemp(folder, "building-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	config.State = filepath.Join(dir, "chain")
	node, err := sim.New(config)
	if err != nil {
		return "", err
	}
	return path, errors.Join(node.Close(), os.Rename(config.State, path))
}

// current is the folder of the recordings of this simulator.
var current = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	source, err := sourceDigest()
	if err != nil {
		return "", err
	}
	return folderOf(filepath.Join(cache, "astrolabe", "sim"), source)
})

// unused is how long the recordings of another simulator are kept.
const unused = 7 * 24 * time.Hour

// folderOf makes the folder of a simulator among those of all, marks it as used
// and removes those that were not used for long.
func folderOf(all, source string) (string, error) {
	folder, now := filepath.Join(all, source), time.Now()
	return folder, errors.Join(os.MkdirAll(folder, 0o700), os.Chtimes(folder, now, now), removeUnused(all))
}

func removeUnused(all string) error {
	folders, err := os.ReadDir(all)
	for _, folder := range folders {
		if info, err := folder.Info(); err == nil && time.Since(info.ModTime()) > unused {
			_ = os.RemoveAll(filepath.Join(all, folder.Name())) // another process may do the same
		}
	}
	return err
}

// sourceDigest identifies the source that blocks depend on: the simulator, the
// hashes and the versions of the libraries.
func sourceDigest() (string, error) {
	root, err := spectest.Root()
	if err != nil {
		return "", err
	}
	tree, digest := os.DirFS(root), sha256.New()
	for _, part := range []string{"go.sum", "sim", "starknet"} {
		err := fs.WalkDir(tree, part, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(tree, path)
			fmt.Fprintln(digest, path, len(text))
			digest.Write(text)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", digest.Sum(nil))[:32], nil
}
