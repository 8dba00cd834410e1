package source_test

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// dearest is the most CPU time that a check may take, with room for slow
// machines.
const dearest = 10 * time.Second

// TestDearestTreesAreCheckedInSeconds builds trees that cost much within the
// limits: a check must not be a way to stop the workers. It runs alone, because
// it measures the CPU time of the process.
func TestDearestTreesAreCheckedInSeconds(t *testing.T) { //nolint:paralleltest // see above
	for name, tree := range map[string]fstest.MapFS{
		"many packages and members": manyPackages(),
		"keys of one table":         {"Scarb.toml": {Data: keys(128 << 10)}},
		"keys of the lock":          {"Scarb.toml": {Data: []byte("[package]\nname=\"a\"\nversion=\"1.0.0\"\n")}, "Scarb.lock": {Data: keys(512 << 10)}},
		"nested arrays":             {"Scarb.toml": {Data: []byte("a=" + strings.Repeat("[", 100<<10))}},
		"nested tables":             {"Scarb.toml": {Data: []byte("a=" + strings.Repeat("{a=", 30<<10))}},
		"dotted keys":               {"Scarb.toml": {Data: []byte(strings.Repeat("a.", 60<<10) + "a=1")}},
		"arrays of tables":          {"Scarb.toml": {Data: []byte(strings.Repeat("[[a.b.c]]\n", 12<<10))}},
	} {
		before := used(t)
		_, err := check(t, tree, "", "")
		if took := used(t) - before; err == nil || took > dearest {
			t.Errorf("%s: got %v after %v, want a fault within %v", name, err, took, dearest)
		}
	}
}

// keys returns a file of so many bytes with as many keys as fit.
func keys(size int) []byte {
	var out bytes.Buffer
	for i := 0; out.Len() < size-10; i++ {
		fmt.Fprintf(&out, "%x=0\n", i)
	}
	return out.Bytes()
}

// manyPackages returns a workspace with as many packages, patterns, inherited
// dependencies and locked packages as the limits allow.
func manyPackages() fstest.MapFS {
	var root, lock strings.Builder
	root.WriteString("[workspace]\nmembers=[" + strings.Repeat(`"**/*a*a*a*a*b",`, 255) + "\"d/*\"]\n[workspace.dependencies]\n")
	for i := 0; root.Len() < 120<<10; i++ {
		fmt.Fprintf(&root, "d%d={path=\"d\"}\n", i)
	}
	lock.WriteString("version=1\n")
	for i := 0; lock.Len() < 500<<10; i++ {
		fmt.Fprintf(&lock, "[[package]]\nname=\"p%d\"\nversion=\"1\"\n", i)
	}
	tree := fstest.MapFS{"Scarb.toml": {Data: []byte(root.String())}, "Scarb.lock": {Data: []byte(lock.String())}}
	for i := range 2400 {
		tree[fmt.Sprintf("d/%s%d/Scarb.toml", strings.Repeat("a", 40), i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "[package]\nname=\"p%d\"\n", i)}
	}
	return tree
}

// used returns the CPU time of the process.
func used(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
