package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/failpoint"
	"astrolabe/pg/pgtest"
	"astrolabe/rest/contracttest"
)

// anyPort lets the system choose ports, so that tests run in parallel.
var anyPort = []string{"--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}

func up(t *testing.T, data string, environment ...string) *program {
	t.Helper()
	return start(t, environment, append([]string{"up", "--no-simulate", "--data", data}, anyPort...)...)
}

// TestUpServesAndStopsCleanly also runs other processes beside the running
// one.
func TestUpServesAndStopsCleanly(t *testing.T) { //nolint:tparallel // the subtests share a program
	t.Parallel()
	data := existing(t)
	p := up(t, data, "ASTROLABE_TRUSTED_PROXIES=127.0.0.0/8")
	base := p.ready(t)
	if first, _, _ := strings.Cut(p.text(), "\n"); !strings.Contains(first, "msg=starting") {
		t.Errorf("got the first line %q, want that of the start", first)
	}
	where := readDemo(t, data)
	if where.BaseURL != base {
		t.Errorf("demo.json: got %s, want %s", where.BaseURL, base)
	}
	if got := get(t, base+"/v1/SN_MAIN/status", keyHeader, createKey(t, data)); !strings.Contains(got, `"chainId":"SN_MAIN"`) || !strings.Contains(got, "no_indexer") {
		t.Errorf("got %s, want the status of a chain without an indexer", got)
	}
	if got := get(t, where.AdminURL+"/metrics"); !strings.Contains(got, "astrolabe_http_requests_total") {
		t.Error("got metrics without astrolabe_http_requests_total, want it")
	}
	t.Run("a page's token is of no use elsewhere", func(t *testing.T) { tokensAreOfNoUseElsewhere(t, base) })
	t.Run("secrets rotate beside it", func(t *testing.T) { secretsRotateBeside(t, data) })
	t.Run("its folder is refused in one line", func(t *testing.T) { folderInUseIsRefused(t, data) })
	t.Run("its address is refused in one line", func(t *testing.T) { addressInUseIsRefused(t, base) })
	if code := p.stop(t); code != 0 {
		t.Errorf("got exit code %d, want 0:\n%s", code, p.text())
	}
	if _, err := os.Stat(filepath.Join(data, "postgres", "cluster", "postmaster.pid")); err == nil {
		t.Error("got a PID file of the private Postgres, want it stopped")
	}
}

// secretsRotateBeside uses the database of the running program.
func secretsRotateBeside(t *testing.T, data string) {
	rotate := start(t, nil, "secrets", "rotate", "cursor", "--data", data)
	rotate.wait(t)
	if code := rotate.cmd.ProcessState.ExitCode(); code != 0 || !regexp.MustCompile(`(?m)^cursor +2 `).MatchString(rotate.text()) {
		t.Errorf("got exit code %d, want 0 and generation 2:\n%s", code, rotate.text())
	}
}

func folderInUseIsRefused(t *testing.T, data string) {
	second := up(t, data)
	second.wait(t)
	lines := strings.Split(strings.TrimSpace(second.text()), "\n")
	if code := second.cmd.ProcessState.ExitCode(); code != exitUsage || len(lines) != 2 || !strings.Contains(lines[0], "msg=starting") {
		t.Errorf("got exit code %d, want %d and one line after that of the start:\n%s", code, exitUsage, second.text())
	}
}

func addressInUseIsRefused(t *testing.T, base string) {
	second := start(t, nil, "up", "--no-simulate", "--data", existing(t), "--addr", strings.TrimPrefix(base, "http://"), "--admin-addr", "", "--log-level", "error")
	second.wait(t)
	if code := second.cmd.ProcessState.ExitCode(); code != exitUsage || !strings.HasPrefix(second.text(), "astrolabe: --addr: ") {
		t.Errorf("got exit code %d, want %d and an error about --addr:\n%s", code, exitUsage, second.text())
	}
}

// TestUpRecoversFromAKillAtAnyStepOfStartup kills the program at every named
// step, as a power cut would, and starts it again on the same folder.
func TestUpRecoversFromAKillAtAnyStepOfStartup(t *testing.T) {
	t.Parallel()
	withCluster := slices.Index(failpoint.Startup, failpoint.PostgresInitdbDone) + 1
	for i, step := range failpoint.Startup {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(pgtest.Dir(t), "data")
			if i >= withCluster {
				data = existing(t)
			}
			dying := up(t, data, "ASTROLABE_FAILPOINT="+step)
			dying.wait(t)
			if !dying.killed() {
				t.Fatalf("got a program that was not killed at %s, want it killed:\n%s", step, dying.text())
			}
			next := up(t, data)
			next.ready(t)
			if code := next.stop(t); code != 0 {
				t.Errorf("got exit code %d, want 0:\n%s", code, next.text())
			}
		})
	}
}

// TestServeRecoversFromAKill also shows that a start passes every step
// of the test above.
func TestServeRecoversFromAKill(t *testing.T) {
	t.Parallel()
	data := filepath.Join(pgtest.Dir(t), "data")
	passed := filepath.Join(t.TempDir(), "passed")
	first := up(t, data, "ASTROLABE_FAILPOINT_LOG="+passed)
	first.ready(t)
	log, err := os.ReadFile(passed)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range failpoint.Startup {
		if !slices.Contains(strings.Fields(string(log)), step) {
			t.Errorf("got a start without the step %s, want it", step)
		}
	}
	first.kill(t)
	second := up(t, data)
	second.ready(t)
	second.stop(t)
}

// TestProcessesThatStartTogetherShareOneMasterKey starts several processes at
// once on a new folder: one runs, and its master key serves every later start.
func TestProcessesThatStartTogetherShareOneMasterKey(t *testing.T) {
	t.Parallel()
	data := filepath.Join(pgtest.Dir(t), "data")
	rivals := []*program{up(t, data), up(t, data), up(t, data)}
	for _, p := range rivals {
		select {
		case <-p.apiURL:
		case <-p.ended:
		case <-time.After(time.Minute):
			t.Fatalf("got a process that is neither up nor rejected, want one of them:\n%s", p.text())
		}
		p.kill(t)
	}
	after := up(t, data)
	after.ready(t)
	if code := after.stop(t); code != 0 {
		t.Errorf("got exit code %d, want 0:\n%s", code, after.text())
	}
}

const keyHeader = "X-Service-Api-Key"

// createKey creates a key beside a running program, as an operator would.
func createKey(t *testing.T, data string) string {
	t.Helper()
	create := start(t, nil, "keys", "create", "--workspace", "test", "--create-workspace", "--permissions", "read", "--data", data)
	create.wait(t)
	key := regexp.MustCompile(`(?m)^svc_live_\w+$`).FindString(create.text())
	if key == "" {
		t.Fatalf("got no key, want one in:\n%s", create.text())
	}
	return key
}

// get requests a page; headers come as name, value, name, value.
func get(t *testing.T, url string, headers ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := contracttest.Breach(t.Context(), response.Request, response, body); err != nil {
		t.Errorf("%s: got a violation of the contract, want none: %v\n%s", url, err, body)
	}
	return string(body)
}
