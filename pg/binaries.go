package pg

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// binaries is a folder with the Postgres server programs, and their version.
type binaries struct{ dir, major string }

func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }
func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }

// distributions are the folders in which packages put the server programs.
var distributions = []string{
	"/usr/lib/postgresql/*/bin",  // Debian, Ubuntu
	"/usr/pgsql-*/bin",           // Fedora, Red Hat (the project's own packages)
	"/usr/lib/postgresql*/bin",   // openSUSE
	"/usr/lib*/postgresql-*/bin", // Gentoo
	"/usr/libexec/postgresql*",   // Alpine
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/usr/local/pgsql/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// findBinaries searches dir, or if that is empty PATH and then the folders of
// distributions. An existing cluster requires its major version.
func findBinaries(ctx context.Context, dir, want string) (binaries, error) {
	if dir != "" {
		found, err := inspect(ctx, dir)
		if err != nil {
			return binaries{}, refuse(ErrNoBinaries, "there is no usable Postgres server in %s: %v", dir, err)
		}
		return choose([]binaries{found}, want)
	}
	var found []binaries
	for _, place := range searchPlaces() {
		if b, err := inspect(ctx, place); err == nil {
			found = append(found, b)
		}
	}
	return choose(found, want)
}

// Installed returns ErrNoBinaries if there is no usable Postgres server in dir, or,
// if dir is empty, in the places where Start searches.
func Installed(ctx context.Context, dir string) error {
	_, err := findBinaries(ctx, dir, "")
	return err
}

func choose(found []binaries, want string) (binaries, error) {
	if len(found) == 0 {
		return binaries{}, refuse(ErrNoBinaries, "no Postgres server was found on PATH or in the usual folders: "+
			"install it (Debian, Ubuntu: apt install postgresql; Fedora: dnf install postgresql-server; "+
			"macOS: brew install postgresql@17), or set the folder of its programs")
	}
	if want == "" {
		return found[0], nil
	}
	versions := make([]string, len(found))
	for i, b := range found {
		if b.major == want {
			return b, nil
		}
		versions[i] = b.major
	}
	return binaries{}, refuse(ErrOtherVersion, "the cluster was created by Postgres %s, but the installed server is Postgres %s: "+
		"install Postgres %s, or migrate the data with pg_upgrade or pg_dump, or choose another data folder",
		want, strings.Join(slices.Compact(versions), " and "), want)
}

// searchPlaces lists the folders of PATH, then those of distributions, newest
// version first.
func searchPlaces() []string {
	var places []string
	for _, pattern := range distributions {
		matches, _ := filepath.Glob(pattern) // the patterns are well-formed
		places = append(places, matches...)
	}
	slices.SortStableFunc(places, func(a, b string) int { return cmp.Compare(versionInPath(b), versionInPath(a)) })
	if path, err := exec.LookPath("postgres"); err == nil {
		places = append([]string{filepath.Dir(path)}, places...)
	}
	return places
}

var digits = regexp.MustCompile(`\d+`)

func versionInPath(path string) int {
	version, _ := strconv.Atoi(digits.FindString(path)) // a path without one counts as the oldest
	return version
}

func inspect(ctx context.Context, dir string) (binaries, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return binaries{}, err
	}
	b := binaries{dir: dir}
	for _, program := range []string{b.postgres(), b.initdb()} {
		if _, err := exec.LookPath(program); err != nil {
			return binaries{}, fmt.Errorf("there is no program %s that this user may run", program)
		}
	}
	output, err := exec.CommandContext(ctx, b.postgres(), "--version").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("%s --version: %w", b.postgres(), err)
	}
	if b.major = majorVersion(string(output)); b.major == "" {
		return binaries{}, fmt.Errorf("%s --version said %q", b.postgres(), output)
	}
	return b, nil
}

var versionOutput = regexp.MustCompile(`^postgres \(.*?\) (9\.\d+|\d+)`)

// majorVersion returns "15" for "postgres (PostgreSQL) 15.13 (Debian 15.13-1)",
// and "" for other input.
func majorVersion(output string) string {
	if match := versionOutput.FindStringSubmatch(output); match != nil {
		return match[1]
	}
	return ""
}
