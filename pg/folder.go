package pg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folder is the data folder. It belongs to the user of the program; the server
// writes only to cluster/ and socket/ in it. So a program that runs as root
// never writes where another user could have placed a link.
type folder struct{ root string }

func (f folder) path(name string) string { return filepath.Join(f.root, name) }
func (f folder) cluster() string         { return f.path("cluster") }
func (f folder) socket() string          { return f.path("socket") }
func (f folder) config() string          { return f.path("postgresql.conf") }

// lockFile also marks the folder as ours: it is the first file created in it.
func (f folder) lockFile() string { return f.path("private-postgres.lock") }

// resolveFolder resolves the links in the existing part of the path, because
// the server user has to traverse it too.
func resolveFolder(dir string) (folder, error) {
	if dir == "" {
		return folder{}, errors.New("the private Postgres needs a data folder")
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return folder{}, fmt.Errorf("resolve the data folder %s: %w", dir, err)
	}
	missing := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return folder{root: filepath.Join(real, missing)}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return folder{}, refuse(ErrUnreachable, "the data folder %s cannot be reached: %v", dir, err)
		}
		missing = filepath.Join(filepath.Base(path), missing)
		path = filepath.Dir(path)
	}
}

// version returns the major version of the cluster, or "" if there is none.
func (f folder) version() (string, error) {
	content, err := os.ReadFile(filepath.Join(f.cluster(), "PG_VERSION"))
	if err == nil {
		return strings.TrimSpace(string(content)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return "", refuse(ErrUnreachable, "the cluster in %s cannot be read: %v", f.root, err)
	}
	if _, err := os.Lstat(f.cluster()); err == nil {
		return "", refuse(ErrNotACluster, "%s exists but is not a Postgres cluster: "+
			"move it away, or choose another data folder", f.cluster())
	}
	return "", nil
}

// claim creates the folder if it is missing, and rejects one that holds other
// files or belongs to another user.
func (f folder) claim(a account) error {
	mode := fs.FileMode(0o700)
	if a.drop {
		mode = 0o711 // the server user has to traverse it
	}
	for _, path := range ancestors(f.root) {
		if err := os.Mkdir(path, mode); err == nil {
			if err := os.Chmod(path, mode); err != nil { // independent of the umask
				return fmt.Errorf("let the server user enter the data folder: %w", err)
			}
		} else if _, missing := os.Stat(path); missing != nil {
			return refuse(ErrUnreachable, "the data folder %s cannot be created: %v", f.root, err)
		}
	}
	if err := f.checkOurs(); err != nil {
		return err
	}
	return os.Chmod(f.root, mode)
}

func (f folder) checkOurs() error {
	info, err := os.Stat(f.root)
	if err != nil {
		return fmt.Errorf("stat the data folder: %w", err)
	}
	if !info.IsDir() {
		return refuse(ErrNotACluster, "%s is a file, not a data folder: choose another one", f.root)
	}
	if owner := ownerOf(info); int(owner.uid) != os.Geteuid() {
		return refuse(ErrUnreachable, "the data folder %s belongs to user %s: "+
			"run the program as that user, or choose another folder", f.root, owner.name)
	}
	entries, err := os.ReadDir(f.root)
	if err != nil {
		return fmt.Errorf("list the data folder: %w", err)
	}
	if _, err := os.Lstat(f.lockFile()); len(entries) > 0 && err != nil {
		return refuse(ErrNotACluster, "the folder %s is not empty and was not created by this program: "+
			"choose an empty or a new folder", f.root)
	}
	return nil
}
