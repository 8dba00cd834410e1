package pg

import "syscall"

// freeSpace returns the bytes that the server can still write in a folder, and
// whether they are known.
func freeSpace(dir string) (uint64, bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true //nolint:gosec // a block size is positive
}
