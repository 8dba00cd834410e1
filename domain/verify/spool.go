package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// spooled is a received body in a file without a name, of which nothing remains
// when the process ends.
type spooled struct {
	*os.File
	length int64
	digest string // as in Package.UploadDigest
}

// spool receives a body. It reads at most one byte more than length, and a body
// that ends early is no error: the caller compares lengths. The file is at its
// beginning, and the caller closes it.
func spool(body io.Reader, length int64) (_ *spooled, err error) {
	file, err := os.CreateTemp("", "astrolabe-upload-")
	if err != nil {
		return nil, fmt.Errorf("spool an upload: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("spool an upload: %w", err)
	}
	hash := sha256.New()
	received, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(body, length+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("receive an upload: %w", err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("spool an upload: %w", err)
	}
	return &spooled{file, received, "sha256:" + hex.EncodeToString(hash.Sum(nil))}, nil
}
