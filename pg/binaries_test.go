package pg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMajorVersionIsParsedFromPostgresOutput(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n": "15",
		"postgres (PostgreSQL) 17.0\n":                           "17",
		"postgres (PostgreSQL) 18beta1\n":                        "18",
		"postgres (PostgreSQL) 19devel\n":                        "19",
		"postgres (PostgreSQL) 9.6.24\n":                         "9.6",
		"postgres (EnterpriseDB) 16.2\n":                         "16",
		"psql (PostgreSQL) 15.13\n":                              "",
		"":                                                       "",
	} {
		if got := majorVersion(output); got != want {
			t.Errorf("majorVersion(%q) = %q, want %q", output, got, want)
		}
	}
}

func FuzzMajorVersion(f *testing.F) {
	f.Add("postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n")
	f.Add("postgres (PostgreSQL) 9.6.24")
	f.Add("postgres () 1")
	f.Fuzz(func(t *testing.T, output string) {
		if major := majorVersion(output); major != "" && !strings.Contains(output, ") "+major) {
			t.Fatalf("majorVersion(%q): got %q, want a part of the text", output, major)
		}
	})
}

// pretend creates a folder with programs that only print their version.
func pretend(t *testing.T, major string) binaries {
	t.Helper()
	b := binaries{dir: t.TempDir(), major: major}
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s.1'\n", major)
	syscall.ForkLock.RLock() // a child that holds a file open for writing makes it "busy"
	defer syscall.ForkLock.RUnlock()
	for _, program := range []string{b.postgres(), b.initdb()} {
		if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestFolderWithOnlyOneOfTheProgramsIsSkipped(t *testing.T) {
	t.Parallel()
	b := pretend(t, "15")
	if got, err := inspect(t.Context(), b.dir); err != nil || got != b {
		t.Fatalf("got %v and %v, want %v", got, err, b)
	}
	if err := os.Remove(b.initdb()); err != nil {
		t.Fatal(err)
	}
	if _, err := findBinaries(t.Context(), b.dir, ""); !errors.Is(err, ErrNoBinaries) {
		t.Fatalf("without initdb: got %v, want %v", err, ErrNoBinaries)
	}
}

func TestExistingClusterUsesItsOwnVersionAndANewOneTheFirst(t *testing.T) {
	t.Parallel()
	found := []binaries{{dir: "/new", major: "17"}, {dir: "/old", major: "15"}}
	for want, dir := range map[string]string{"": "/new", "17": "/new", "15": "/old"} {
		if got, err := choose(found, want); err != nil || got.dir != dir {
			t.Errorf("for version %q: got %v, %v, want %s", want, got, err, dir)
		}
	}
	if _, err := choose(found, "14"); !errors.Is(err, ErrOtherVersion) || !strings.Contains(err.Error(), "17 and 15") {
		t.Errorf("version 14: got %v, want %v that names 17 and 15", err, ErrOtherVersion)
	}
}

func TestMissingServerIsExplainedForEachSystem(t *testing.T) {
	t.Parallel()
	_, err := choose(nil, "15")
	if !errors.Is(err, ErrNoBinaries) {
		t.Fatalf("got %v, want %v", err, ErrNoBinaries)
	}
	for _, advice := range []string{"apt install postgresql", "dnf install postgresql-server", "brew install postgresql"} {
		if !strings.Contains(err.Error(), advice) {
			t.Errorf("got %q, want %q in it", err, advice)
		}
	}
}

func TestNewestVersionComesFirst(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{
		"/usr/lib/postgresql/9.6/bin":         9,
		"/usr/lib/postgresql/15/bin":          15,
		"/usr/pgsql-16/bin":                   16,
		"/opt/homebrew/opt/postgresql@17/bin": 17,
		"/opt/homebrew/opt/postgresql/bin":    0,
	} {
		if got := versionInPath(path); got != want {
			t.Errorf("versionInPath(%q) = %d, want %d", path, got, want)
		}
	}
	for _, pattern := range distributions {
		if _, err := filepath.Match(pattern, ""); err != nil {
			t.Errorf("%s: got %v, want a valid pattern", pattern, err)
		}
	}
}
