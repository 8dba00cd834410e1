package repo

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesInTheHomeDirectoryDoNotChangeTheDatabase(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.WriteFile(filepath.Join(home, ".pgpass"), []byte("*:*:*:*:stray"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := parseAddress("postgres://me@127.0.0.1:5432/mine")
	if err != nil {
		t.Fatal(err)
	}
	if got := config.ConnConfig.Password; got != "" {
		t.Errorf("got the password %q, want none: the URL has none", got)
	}
}
