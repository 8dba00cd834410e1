package cairotest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"astrolabe/toolchain"
)

var (
	once       sync.Once
	warmed     toolchain.Cache
	warmFailed error
)

// warm returns the machine code of the compiler, which all tests share: it is in
// the user's cache, and only the first test ever has to produce it. Tests of
// other packages, which run at the same time, wait for it.
func warm(options toolchain.Options) (toolchain.Cache, error) {
	once.Do(func() { warmed, warmFailed = warmShared(options) })
	return warmed, warmFailed
}

func warmShared(options toolchain.Options) (toolchain.Cache, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return toolchain.Cache{}, err
	}
	options.CacheDir = filepath.Join(folder, "astrolabe", "cairo")
	if err := os.MkdirAll(options.CacheDir, 0o700); err != nil {
		return toolchain.Cache{}, err
	}
	lock, err := os.OpenFile(filepath.Join(options.CacheDir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return toolchain.Cache{}, err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return toolchain.Cache{}, err
	}
	return toolchain.Warm(context.Background(), options)
}
