package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"astrolabe/pg/pgtest"
)

// TestUpSurvivesTheDeathOfItsPostgres kills the private server while a broken
// file keeps it from starting again, and then repairs the file: the service
// answers 503 meanwhile, recovers by itself, and logs no line for each failure.
func TestUpSurvivesTheDeathOfItsPostgres(t *testing.T) {
	t.Parallel()
	data := existing(t)
	p := up(t, data, "ASTROLABE_LOG_LEVEL=debug")
	base, key := p.ready(t), createKey(t, data)
	cluster := filepath.Join(data, "postgres", "cluster")
	control := filepath.Join(cluster, "global", "pg_control")
	seen := map[int]bool{}
	answers := func(want int) func() bool {
		return func() bool {
			status, _ := request(t, base+"/v1/SN_MAIN/blocks", key)
			seen[status] = true
			return status == want
		}
	}
	p.until(t, "the first answer", answers(http.StatusOK))
	if err := os.Rename(control, control+".away"); err != nil {
		t.Fatal(err)
	}
	killPostmaster(t, cluster)
	p.until(t, "the outage", answers(http.StatusServiceUnavailable))
	p.until(t, "a restart that fails", func() bool { return strings.Contains(p.text(), "but could not open file") })
	p.says(t, "the database cannot be used; waiting for it")
	if err := os.Rename(control+".away", control); err != nil {
		t.Fatal(err)
	}
	p.until(t, "the recovery", answers(http.StatusOK))
	p.until(t, "readiness", func() bool {
		status, _ := request(t, base+"/readyz", key)
		return status == http.StatusOK
	})
	p.says(t, "the database is back")
	if delete(seen, http.StatusOK); len(seen) != 1 {
		t.Errorf("got the statuses %v, want %d alone", seen, http.StatusServiceUnavailable)
	}
	p.until(t, "the end of the outage", func() bool { return strings.Contains(p.text(), "the database is back") })
	each := regexp.MustCompile(`level=(WARN|ERROR) msg="(request failed|job failed|the job queue|FATAL:  the database|FATAL:  terminating)`)
	for line := range strings.Lines(p.text()) {
		if each.MatchString(line) {
			t.Errorf("got the line %s, want the outage of the database to count it", line)
		}
	}
	if code := p.stop(t); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, p.text())
	}
}

// killPostmaster kills the server of a cluster.
func killPostmaster(t *testing.T, cluster string) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(cluster, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(file), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// TestUpSurvivesAFullDisk fills a small file system that holds the whole data
// folder: reads continue, and the index grows again when there is space.
func TestUpSurvivesAFullDisk(t *testing.T) {
	t.Parallel()
	disk := filepath.Join(pgtest.Dir(t), "disk")
	if err := os.Mkdir(disk, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=400m,mode=0711"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	data := filepath.Join(disk, "data")
	p := start(t, nil, append([]string{"up", "--data", data, "--chains", "SN_MAIN", "--poll", "100ms"}, anyPort...)...)
	base := p.ready(t)
	key := readDemo(t, data).Keys["read"]
	newest := func() int {
		status, body := request(t, base+"/v1/SN_MAIN/blocks?limit=1", key)
		found := regexp.MustCompile(`"blockNumber":(\d+)`).FindStringSubmatch(body)
		if status != http.StatusOK || found == nil {
			return -1
		}
		number, _ := strconv.Atoi(found[1])
		return number
	}
	p.until(t, "the index", func() bool { return newest() >= 150 })
	filler := fill(t, disk)
	p.until(t, "the full disk", func() bool { return strings.Contains(p.text(), "the disk is full") })
	stood := newest()
	if stood < 150 {
		t.Errorf("on a full disk: got block %d, want reads to continue", stood)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	p.until(t, "more blocks", func() bool { return newest() > stood })
	if code := p.stop(t); code != exitOK {
		t.Errorf("got exit code %d, want %d:\n%s", code, exitOK, p.text())
	}
}

// fill writes a file until there is no space left.
func fill(t *testing.T, disk string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for chunk := make([]byte, 4<<10); err == nil; {
		_, err = file.Write(chunk)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want a full disk", err)
	}
	return file.Name()
}
