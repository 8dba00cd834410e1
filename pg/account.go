package pg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user that the server runs as.
type account struct {
	name     string
	uid, gid uint32
	// drop is true if the program is root: Postgres refuses to run as root, so
	// the server runs as another user.
	drop bool
}

// chooseAccount returns the program's own user, or for root the owner of the
// existing cluster, else postgres, else nobody.
func chooseAccount(cluster string) (account, error) {
	if os.Geteuid() != 0 {
		current, err := user.Current()
		if err != nil {
			return account{}, fmt.Errorf("find the name of the program's user: %w", err)
		}
		return account{name: current.Username, uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil
	}
	if info, err := os.Stat(cluster); err == nil {
		owner := ownerOf(info)
		if owner.uid == 0 {
			return account{}, refuse(ErrUnreachable, "%s belongs to root, but Postgres refuses to run as root: "+
				"change its owner, for example with: chown -R postgres: %s", cluster, cluster)
		}
		return owner, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if found, err := lookUp(name); err == nil {
			return found, nil
		}
	}
	return account{}, refuse(ErrUnreachable, "Postgres refuses to run as root, and neither user postgres nor nobody "+
		"exists: create one of them, or run the program as an ordinary user")
}

func lookUp(name string) (account, error) {
	found, err := user.Lookup(name)
	if err != nil {
		return account{}, err
	}
	uid, errUID := strconv.ParseUint(found.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(found.Gid, 10, 32)
	return account{name: name, uid: uint32(uid), gid: uint32(gid), drop: true}, errors.Join(errUID, errGID)
}

// ownerOf returns the owner of a file as an account to drop to.
func ownerOf(info fs.FileInfo) account {
	stat := info.Sys().(*syscall.Stat_t)
	owner := account{name: fmt.Sprintf("number %d", stat.Uid), uid: stat.Uid, gid: stat.Gid, drop: true}
	if found, err := user.LookupId(strconv.FormatUint(uint64(stat.Uid), 10)); err == nil {
		owner.name = found.Username
	}
	return owner
}

// reach rejects a folder if the server account may not enter one of its
// parents. Parents that do not exist yet are created by the caller.
func (a account) reach(path string) error {
	if !a.drop {
		return nil
	}
	for _, step := range ancestors(path) {
		info, err := os.Stat(step) //nolint:gosec // only asks who may enter the user's own folder
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("stat %s: %w", step, err)
		}
		if !a.mayEnter(info) {
			return refuse(ErrUnreachable, "Postgres cannot run as root, so it runs as user %s, who cannot enter %s: "+
				"choose a folder that it can reach, for example under /var/lib, "+
				"or run the program as an ordinary user", a.name, step)
		}
	}
	return nil
}

// mayEnter evaluates the permission bits like the kernel: only the first
// matching class counts. The account has no supplementary groups.
func (a account) mayEnter(info fs.FileInfo) bool {
	stat := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return false
	case stat.Uid == a.uid:
		return info.Mode()&0o100 != 0
	case stat.Gid == a.gid:
		return info.Mode()&0o010 != 0
	default:
		return info.Mode()&0o001 != 0
	}
}

// ancestors lists path and every folder above it, the root first.
func ancestors(path string) []string {
	if parent := filepath.Dir(path); parent != path {
		return append(ancestors(parent), path)
	}
	return []string{path}
}

// own changes the owner of path to the account, if the program runs as another
// user.
func (a account) own(path string) error {
	if !a.drop {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// command prepares a Postgres program to run as the account: in a separate
// process group, so that a Ctrl-C in the terminal reaches only this program,
// and without the environment of this program, which may hold secrets.
func (a account) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return cmd
}
