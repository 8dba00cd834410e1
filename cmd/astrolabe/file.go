package main

import (
	"errors"
	"os"
	"path/filepath"
)

// writeWhole atomically replaces a file that only its owner can read. The content
// is on disk when it returns.
func writeWhole(path string, content []byte) error {
	return place(path, content, os.Rename)
}

// createWhole is like writeWhole for a new file. If the file exists, it stays
// unchanged and the error is fs.ErrExist.
func createWhole(path string, content []byte) error {
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
	return syncFolder(dir)
}

// syncFolder makes changes of file names in a folder survive a power failure.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
