package pg

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

const port = "5432" // only used in the name of the socket

// longestSocket is the maximum length of a Unix socket path on every system:
// the lowest limit is 104 bytes including the final zero.
const longestSocket = 103

const shortFolderPrefix = "astrolabe-pg-"

func socketPath(dir string) string { return filepath.Join(dir, ".s.PGSQL."+port) }

// makeSocketFolder creates a new private folder for the socket, without a stale
// socket or lock of an earlier server. It is in the data folder; if that path
// is too long, it is a link to a short one.
func (f folder) makeSocketFolder(a account, log *slog.Logger) (string, error) {
	if err := f.removeSocketFolder(); err != nil {
		return "", fmt.Errorf("remove the earlier socket folder: %w", err)
	}
	dir := f.socket()
	if len(socketPath(dir)) <= longestSocket {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", fmt.Errorf("create the socket folder: %w", err)
		}
	} else {
		short, err := makeShortFolder(a)
		if err != nil {
			return "", err
		}
		if err := os.Symlink(short, dir); err != nil {
			return "", fmt.Errorf("record the socket folder: %w", err)
		}
		log.Info("the path of the data folder is too long for a Unix socket; using another folder for it", "folder", short)
		dir = short
	}
	if err := a.own(dir); err != nil {
		return "", fmt.Errorf("change the owner of the socket folder to %s: %w", a.name, err)
	}
	return dir, nil
}

func makeShortFolder(a account) (string, error) {
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		path := socketPath(filepath.Join(base, shortFolderPrefix+"0000000000"))
		if !filepath.IsAbs(base) || len(path) > longestSocket || a.reach(base) != nil {
			continue
		}
		if dir, err := os.MkdirTemp(base, shortFolderPrefix); err == nil {
			return dir, nil
		}
	}
	return "", refuse(ErrUnreachable, "every path for the Unix socket of the server is too long: choose a data folder with a shorter path")
}

func (f folder) removeSocketFolder() error {
	if short, err := os.Readlink(f.socket()); err == nil && strings.HasPrefix(filepath.Base(short), shortFolderPrefix) {
		if err := os.RemoveAll(short); err != nil {
			return err
		}
	}
	return os.RemoveAll(f.socket())
}
