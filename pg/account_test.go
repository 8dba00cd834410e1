package pg

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPermissionBitsAreInterpretedLikeTheKernel(t *testing.T) {
	t.Parallel()
	me, mine := uint32(os.Geteuid()), uint32(os.Getegid())
	owner := account{uid: me, gid: mine + 1}
	group := account{uid: me + 1, gid: mine}
	other := account{uid: me + 1, gid: mine + 1}
	for _, c := range []struct {
		mode fs.FileMode
		who  account
		want bool
	}{
		{0o700, owner, true}, {0o700, group, false}, {0o700, other, false},
		{0o711, other, true}, {0o710, group, true}, {0o710, other, false},
		{0o077, owner, false}, {0o701, group, false}, {0o644, other, false},
	} {
		dir := filepath.Join(t.TempDir(), "folder")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, int(me), int(mine)), os.Chmod(dir, c.mode)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.who.mayEnter(info); got != c.want {
			t.Errorf("mode %o, account %+v: got %v, want %v", c.mode, c.who, got, c.want)
		}
	}
}

func TestErrorNamesTheFirstInaccessibleParentFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "not yet", "made") // its parent has mode 0700
	var closed string
	for _, step := range ancestors(path) {
		if info, err := os.Stat(step); err == nil && closed == "" && info.Mode()&0o001 == 0 {
			closed = step
		}
	}
	other := account{name: "somebody", uid: 1 << 30, gid: 1 << 30, drop: true}
	err := other.reach(path)
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "user somebody") || !strings.Contains(err.Error(), "cannot enter "+closed+":") {
		t.Fatalf("got %v, want %v that names the user and %s", err, ErrUnreachable, closed)
	}
	if err := other.reach("/not yet made"); err != nil {
		t.Fatalf("got %v for a folder that does not exist yet, want no error", err)
	}
}
