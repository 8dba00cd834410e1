package wholefile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write atomically replaces a file that only its owner can read. The content
// is on disk when it returns.
func Write(path string, content []byte) error {
	return place(path, content, os.Rename)
}

// Create is like Write for a new file. If the file exists, it stays
// unchanged and the error is fs.ErrExist.
func Create(path string, content []byte) error {
	return place(path, content, os.Link)
}

func place(path string, content []byte, put func(from, to string) error) error {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // a renamed file is already gone
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	if err := put(file.Name(), path); err != nil {
		return err
	}
	return SyncFolder(dir)
}

// SyncFolder makes changes of file names in a folder survive a power failure.
func SyncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
