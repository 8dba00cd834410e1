package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// FolderDigest returns the SHA-256 of a folder's manifest, in hexadecimal. The
// manifest has a line for each file in it, sorted bytewise by path: the file's
// SHA-256, two spaces and its path, as sha256sum prints it. A folder that holds
// anything but files and folders has no digest.
func FolderDigest(dir string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	manifest := sha256.New()
	var files []string
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Type().IsRegular():
			files = append(files, path)
		case !entry.IsDir():
			return fmt.Errorf("%s is neither a file nor a folder", path)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	slices.Sort(files) // a walk sorts the names of each folder by itself
	for _, path := range files {
		sum, err := fileDigest(root, path)
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(manifest, "%s  %s\n", sum, path) // a hash never fails
	}
	return hex.EncodeToString(manifest.Sum(nil)), nil
}

// fileDigest returns the SHA-256 of a file in hexadecimal.
func fileDigest(root *os.Root, path string) (string, error) {
	file, err := root.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
