package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strconv"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/jobs/index"
	"astrolabe/node"
	"astrolabe/repo"
	store "astrolabe/repo/index"
	"astrolabe/telemetry"
)

// shares breaks down the time of a backfill, in seconds. Blocks are read and
// decoded concurrently with deriving and writing, so the shares add up to more
// than the total.
type shares struct {
	whole, fetch, decode, commit, build float64
	cpu                                 []cpuShare
}

// cpuShare is the share of an activity in the CPU time.
type cpuShare struct {
	name    string
	percent float64
}

// shares indexes the chain once more, in this process and under a profile.
func (b *bench) shares(ctx context.Context, server *database, url string, head int) (s shares, err error) {
	db, err := repo.Open(ctx, repo.Options{URL: server.URL})
	if err != nil {
		return s, err
	}
	defer db.Close()
	var fetch, block, commit, build clock
	pool, err := node.Open(node.Options{
		Chain: domain.Mainnet, URLs: []string{url},
		HTTPClient: &http.Client{Transport: timedTransport{&http.Transport{MaxIdleConnsPerHost: 16}, &fetch}},
	})
	if err != nil {
		return s, err
	}
	defer pool.Close()
	loop := &index.Loop{
		Chain: domain.Mainnet, Pools: privacy.KnownPools(domain.Mainnet), Holder: "bench", Every: time.Second, Lease: time.Minute, Depth: 1,
		Node: timedNode{pool.Source(), &block}, Leases: store.NewLeases(db), Checkpoints: store.NewCheckpoints(db), Classes: store.NewArchive(db),
		Writer: timedWriter{store.NewWriter(db), &commit, &build}, Backfills: store.NewBackfills(db),
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}
	profile := filepath.Join(b.work, "cpu.prof")
	s.whole, err = profiled(ctx, profile, loop, func() error { return server.Await(ctx, head) })
	if err != nil {
		return s, err
	}
	s.fetch, s.decode = fetch.seconds(), block.seconds()-fetch.seconds()
	s.commit, s.build = commit.seconds(), build.seconds()
	s.cpu, err = cpuShares(ctx, profile)
	return s, err
}

// profiled runs the loop until wait returns, and writes its profile.
func profiled(ctx context.Context, path string, loop *index.Loop, wait func() error) (seconds float64, err error) {
	file, err := os.Create(path) //nolint:gosec // our own folder
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return 0, err
	}
	defer pprof.StopCPUProfile()
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	began := time.Now()
	go func() { ended <- loop.Run(running) }()
	err = wait()
	seconds = time.Since(began).Seconds()
	stop()
	if failure := <-ended; err == nil {
		err = failure
	}
	return seconds, err
}

// work maps activities to functions. A sample counts for the first matching
// line only.
var work = []struct{ name, functions string }{
	{"derive", `^astrolabe/jobs/index\.\(\*memory\)\.facts$`},
	{"rows and COPY", `^astrolabe/repo/index\.\(\*Writer\)\.Commit$`},
	{"decode", `^astrolabe/node(/wire\.DecodeAnswer|\.ask.*\.func1)$`},
	{"fetch", `^(net/http\..*|astrolabe/node\.\(\*Pool\)\.exchange)$`},
	{"garbage collection", `^runtime\.(gcBgMarkWorker|bgsweep|bgscavenge)$`},
}

// cpuShares evaluates the profile with go tool pprof.
func cpuShares(ctx context.Context, profile string) ([]cpuShare, error) {
	var (
		list []cpuShare
		seen string
		rest = 100.0
	)
	for _, w := range work {
		percent, err := focus(ctx, profile, w.functions, seen)
		if err != nil {
			return nil, err
		}
		list, rest = append(list, cpuShare{w.name, percent}), rest-percent
		if seen != "" {
			seen += "|"
		}
		seen += w.functions
	}
	return append(list, cpuShare{"the rest", rest}), nil
}

var accounting = regexp.MustCompile(`Showing nodes accounting for .*?, ([0-9.]+)% of`)

// focus returns the percentage of samples with one function on the stack and
// without others.
func focus(ctx context.Context, profile, on, without string) (float64, error) {
	args := []string{"tool", "pprof", "-top", "-nodefraction=0", "-edgefraction=0", "-nodecount=100000", "-focus=" + on}
	if without != "" {
		args = append(args, "-ignore="+without)
	}
	output, err := exec.CommandContext(ctx, "go", append(args, profile)...).CombinedOutput() //nolint:gosec // our own arguments
	if err != nil {
		return 0, fmt.Errorf("go tool pprof: %w: %s", err, output)
	}
	found := accounting.FindSubmatch(output)
	if found == nil {
		return 0, nil // no sample at all
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
