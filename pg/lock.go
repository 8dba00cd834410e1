package pg

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// lock reserves the folder for this program until the file is closed. The
// kernel releases the lock when the program dies; the server does not inherit
// it.
func (f folder) lock() (*os.File, error) {
	file, err := os.OpenFile(f.lockFile(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the data folder's lock: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = errors.Join(file.Truncate(0), writePID(file))
	} else if errors.Is(err, syscall.EWOULDBLOCK) {
		err = refuse(ErrFolderInUse, "the data folder %s is in use by another program (process %s): "+
			"stop that program, or choose another folder", f.root, holder(file))
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func writePID(file *os.File) error {
	_, err := fmt.Fprintln(file, os.Getpid())
	return err
}

// holder returns the process id that the owner of the lock wrote.
func holder(file *os.File) string {
	content := make([]byte, 20)
	n, _ := file.Read(content)
	if pid := strings.TrimSpace(string(content[:n])); pid != "" {
		return pid
	}
	return "unknown, it has just begun"
}
