package verification

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"astrolabe/domain/verify/archive"
	"astrolabe/domain/verify/source"
)

// packFolder returns the archive of a folder.
func packFolder(dir string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usage(err)
	}
	var packed bytes.Buffer
	err = archive.Pack(&packed, root.FS())
	return packed.Bytes(), errors.Join(rejection(err), root.Close())
}

// examined is what is known of a source that breaks no rule.
type examined struct {
	digest   string
	length   int64
	entries  int
	packages []source.Package
}

// examine applies every rule to an archive. An empty package or target is not
// checked.
func examine(r io.Reader, pkg, target string) (examined, error) {
	var found examined
	hash, check := sha256.New(), source.NewCheck()
	counted := &countingReader{r: io.TeeReader(r, hash)}
	err := archive.Read(counted, func(f archive.File) error {
		found.entries++
		return check.Add(f)
	})
	if err == nil {
		err = check.Done(pkg, target)
	}
	if err != nil {
		return examined{}, rejection(err)
	}
	found.digest, found.length, found.packages = fmt.Sprintf("sha256:%x", hash.Sum(nil)), counted.count, check.Packages()
	return found, nil
}

func examineFile(path, pkg, target string) (examined, error) {
	file, err := os.Open(path)
	if err != nil {
		return examined{}, err
	}
	found, err := examine(file, pkg, target)
	return found, errors.Join(err, file.Close())
}

// countingReader counts what is read.
type countingReader struct {
	r     io.Reader
	count int64
}

// Read reads and counts.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.count += int64(n)
	return n, err
}
