package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain/prove"
	"astrolabe/failpoint"
	"astrolabe/pg"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/model"
	"astrolabe/sim/prover"
	"astrolabe/starknet"
)

// proving is a deployment of two API processes with a simulated prover, on a
// Postgres server whose files can be searched.
type proving struct {
	*campaign
	folder   string // where everything is written
	server   *pg.Server
	url      string
	prover   *prover.Prover
	address  string // of the prover
	key      string // an API key
	survivor *relaying
	victim   *relaying
	started  []*program
	outputs  []string // of the programs that have ended
	marks    marks
	named    map[string]bool // the jobs whose row was found
	first    string          // a job of the survivor
	proofs   []*proof        // of the current schedules
	point    map[*proof]string
	done     int

	mu    sync.Mutex
	taken map[string]int // results that clients got, by job
}

// relaying is an API process.
type relaying struct {
	*program
	base string
}

func newProving(t *testing.T) *proving {
	t.Helper()
	v := &proving{
		campaign: &campaign{T: t}, folder: pgtest.Dir(t), prover: prover.New(prover.Options{}),
		marks: newMarks(), taken: map[string]int{}, named: map[string]bool{}, point: map[*proof]string{},
	}
	v.data = filepath.Join(v.folder, "data")
	for _, dir := range []string{v.data, filepath.Join(v.folder, "tmp")} {
		v.must(os.Mkdir(dir, 0o711))
	}
	cluster := filepath.Join(v.folder, "postgres")
	pgtest.Cluster(t, cluster)
	server, err := pg.Start(t.Context(), pg.Options{Dir: cluster, Settings: map[string]string{
		"logging_collector": "on", "log_directory": "log", "log_statement": "all", "wal_keep_size": "1GB", "fsync": "off", "synchronous_commit": "off",
	}})
	v.must(err)
	v.server, v.url = server, server.URL("postgres")
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	upstream := httptest.NewServer(v.prover)
	t.Cleanup(upstream.Close)
	v.address = upstream.URL
	if said, ok := v.operate(v.url, "migrate", "up"); !ok {
		t.Fatalf("migrate up: got a failure, want a deployment:\n%s", said)
	}
	said, ok := v.operate(v.url, "keys", "create", "--workspace", "a", "--create-workspace", "--permissions", "prove", "--rate-limit", "prove_concurrent=1000", "--rate-limit", "prove_daily=1000000", "--rate-limit", "light=1000000")
	if !ok {
		t.Fatalf("keys create: got a failure, want a key:\n%s", said)
	}
	v.key = strings.TrimSpace(said[strings.LastIndex(strings.TrimSpace(said), "\n")+1:])
	v.survivor = v.serve("")
	first := v.proof("first", "")
	if a := v.submit(v.survivor, first); a.status != http.StatusAccepted {
		t.Fatalf("got %d, want 202", a.status)
	}
	v.first = first.id
	v.ends(first)
	return v
}

// serve starts an API process that is killed at a failpoint.
func (v *proving) serve(point string) *relaying {
	v.Helper()
	environment := []string{
		"ASTROLABE_DATABASE_URL=" + v.url, "ASTROLABE_FAILPOINT=" + point, "ASTROLABE_LOG_LEVEL=debug", "ASTROLABE_PROVER=" + v.address,
		"TMPDIR=" + filepath.Join(v.folder, "tmp"), "GOTRACEBACK=all",
	}
	p := start(v.T, environment, "serve", "--data", v.data, "--addr", "127.0.0.1:0", "--admin-addr", "", "--chains", "SN_MAIN",
		"--internal-addr", "127.0.0.1:0", "--prover-queue", "1000", "--prover-drain", "1s", "--drain", "1s")
	v.started = append(v.started, p)
	select {
	case base := <-p.apiURL:
		return &relaying{program: p, base: base}
	case <-p.ended:
	case <-time.After(time.Minute):
	}
	v.Fatalf("got no API, want one:\n%s", p.text())
	return nil
}

// proof is a job of the campaign.
type proof struct {
	name        string
	transaction string
	id          string // empty if no process has confirmed it
}

// proof returns a new job whose transaction asks the prover for a reply.
func (v *proving) proof(name, reply string) *proof {
	v.Helper()
	paymaster := "[]"
	if reply != "" {
		paymaster = fmt.Sprintf(`["%s"]`, starknet.MustShortString(reply))
	}
	bound := `{"max_amount":"0x1","max_price_per_unit":"0x0"}`
	p := &proof{name: name, transaction: fmt.Sprintf(`{"type":"INVOKE","version":"0x3","sender_address":"0x5","calldata":["0x%x"],"signature":[],"nonce":"0x1","tip":"0x0",
		"resource_bounds":{"l1_gas":%s,"l2_gas":%s,"l1_data_gas":%s},"paymaster_data":%s,"account_deployment_data":[],"memo":"%s","name":"%s"}`,
		v.marks.body, bound, bound, bound, paymaster, v.marks.body, name)}
	if reply == "" {
		v.marks.expectResult(v.T, p.transaction)
	}
	v.proofs = append(v.proofs, p)
	return p
}

// answered is the answer of a process to a submission or a poll; zero if it was
// killed before.
type answered struct {
	status int
	body   struct {
		JobID  string
		Status prove.Status
		Result json.RawMessage
	}
}

func (v *proving) ask(method, base, path, idempotencyKey, body string) (a answered) {
	v.Helper()
	request, err := http.NewRequestWithContext(v.Context(), method, base+"/v1/SN_MAIN/prove"+path, strings.NewReader(body))
	v.must(err)
	request.Header.Set("X-Service-Api-Key", v.key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answered{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || json.Unmarshal(text, &a.body) != nil {
		return answered{}
	}
	if a.body.Result != nil {
		v.mu.Lock()
		v.taken[a.body.JobID]++
		v.mu.Unlock()
	}
	a.status = response.StatusCode
	return a
}

// submit submits a job to a process.
func (v *proving) submit(to *relaying, p *proof) answered {
	v.Helper()
	a := v.ask(http.MethodPost, to.base, "", v.marks.key+p.name, `{"block_id":{"block_number":7},"transaction":`+p.transaction+`}`)
	if a.status == http.StatusAccepted || a.status == http.StatusOK {
		p.id = a.body.JobID
	}
	return a
}

// stored is a job as the database has it.
type stored struct {
	status   prove.Status
	attempts int
	received int // how often the prover has read it
	result   prove.ResultState
}

// stored returns what is stored of a job, nothing if it was never committed.
func (v *proving) stored(p *proof) (s stored) {
	v.Helper()
	if p.id == "" { // no answer has named it
		var newest string
		v.campaign.ask(v.url, "SELECT coalesce((SELECT id FROM prove_jobs ORDER BY number DESC LIMIT 1), '')", &newest)
		if newest == "" || v.named[newest] {
			return s
		}
		p.id = newest
	}
	v.named[p.id] = true
	var status prove.Status
	var result prove.ResultState
	v.campaign.ask(v.url, fmt.Sprintf("SELECT status, attempt_count, result_state FROM prove_jobs WHERE id = '%s'", p.id),
		(*model.ProveStatus)(&status), &s.attempts, (*model.ProveResultState)(&result))
	s.status, s.result = status, result
	_, s.received = v.prover.Received([]byte(p.transaction))
	return s
}

// settles makes every holder but the survivor silent for a minute, and waits until
// their jobs have ended. The process that starts now ends them, and is killed at the
// next point.
func (v *proving) settles(next string) {
	v.Helper()
	const others = " WHERE holder NOT IN (SELECT holder FROM prove_jobs WHERE id = $1) AND (status < 2 OR result_state = 1)"
	_, err := v.conn.Exec(v.Context(), "UPDATE prove_jobs SET heartbeat_at = heartbeat_at - interval '1 minute'"+others, v.first)
	v.must(err)
	v.victim = v.serve(next)
	v.victim.until(v.T, "the jobs of the killed process have ended", func() bool {
		var left int
		v.must(v.conn.QueryRow(v.Context(), "SELECT count(*) FROM prove_jobs"+others, v.first).Scan(&left))
		return left == 0
	})
}

// ends waits until a job of the survivor has ended.
func (v *proving) ends(p *proof) stored {
	v.Helper()
	v.survivor.until(v.T, "the job has ended", func() bool { return v.stored(p).status.Terminal() })
	return v.stored(p)
}

// fate is what the rules say of a job whose holder is killed at a point.
var fate = map[string]stored{
	failpoint.ProveAdmitting:                     {},
	failpoint.ProveAdmitted:                      {prove.Unavailable, 0, 0, prove.NoResult},
	failpoint.ProveChanging + "dispatched":       {prove.Unavailable, 0, 0, prove.NoResult},
	failpoint.ProveChanged + "dispatched":        {prove.UnknownDelivery, 1, 0, prove.NoResult},
	failpoint.ProveChanging + "succeeded":        {prove.UnknownDelivery, 1, 1, prove.NoResult},
	failpoint.ProveChanged + "succeeded":         {prove.Succeeded, 1, 1, prove.Expired},
	failpoint.ProveChanging + "failed":           {prove.UnknownDelivery, 1, 1, prove.NoResult},
	failpoint.ProveChanged + "failed":            {prove.Failed, 1, 1, prove.Expired},
	failpoint.ProveChanging + "unavailable":      {prove.UnknownDelivery, 1, 1, prove.NoResult},
	failpoint.ProveChanged + "unavailable":       {prove.Unavailable, 1, 1, prove.NoResult},
	failpoint.ProveChanging + "unknown_delivery": {prove.UnknownDelivery, 1, 1, prove.NoResult},
	failpoint.ProveChanged + "unknown_delivery":  {prove.UnknownDelivery, 1, 1, prove.NoResult},
	failpoint.ProveChanging + "delivered":        {prove.Succeeded, 1, 1, prove.Expired},
	failpoint.ProveChanged + "delivered":         {prove.Succeeded, 1, 1, prove.Delivered},
}

// replyOf is the reply that leads a job to a point.
func replyOf(point string) string {
	switch {
	case strings.HasSuffix(point, ".failed"):
		return "55"
	case strings.HasSuffix(point, ".unavailable"):
		return "busy"
	case strings.HasSuffix(point, ".unknown_delivery"):
		return "cut"
	}
	return ""
}

// TestKillOfTheRelaySendsAndDeliversNothingTwice kills an API process at every step of
// proof jobs and at random times, while another one goes on. Every job ends as the rules
// say, the prover receives each attempt at most once, and nothing of a body, an
// idempotency key, a result or an error is found in anything that was written.
//
// ASTROLABE_SOAK makes thousands of schedules; ASTROLABE_SEED repeats the random choices
// of a run.
func TestKillOfTheRelaySendsAndDeliversNothingTwice(t *testing.T) {
	t.Parallel()
	rounds := 1
	if soak {
		rounds = 200
	}
	seed, err := strconv.ParseUint(os.Getenv("ASTROLABE_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("ASTROLABE_SEED=%d", seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	v := newProving(t)
	v.victim = v.serve(failpoint.Proving[0])
	schedules := 0
	for round := range rounds {
		for i, point := range failpoint.Proving {
			name := fmt.Sprintf("%d-%d", round, i)
			v.killAt(point, name, chance)
			v.settles("")
			v.killAtRandom(name, chance)
			v.settles(failpoint.Proving[(i+1)%len(failpoint.Proving)])
			v.resubmits()
			schedules += 2
		}
	}
	t.Logf("%d schedules, %d jobs", schedules, v.done)
	v.searches()
}

// killAt submits a job to the victim, which is killed at a point. A poll through
// either process leads to the last ones.
func (v *proving) killAt(point, name string, chance *rand.Rand) {
	v.Helper()
	p := v.proof(name, replyOf(point))
	v.point[p] = point
	v.submit(v.victim, p)
	through := []*relaying{v.victim, v.survivor}[chance.IntN(2)]
	for strings.HasSuffix(point, "delivered") && !v.victim.dead() {
		v.ask(http.MethodGet, through.base, "/"+p.id, "", "")
	}
	v.victim.wait(v.T)
	if !v.victim.killed() {
		v.Fatalf("got a program that was not killed at %s, want it killed:\n%s", point, v.victim.text())
	}
	if n := v.taken[p.id]; n > 0 {
		v.Errorf("after a kill at %s: got the result, want it lost", point)
	}
	v.stored(p) // finds its row
}

// killAtRandom submits jobs to both processes, and their duplicates, and polls them
// while the victim is killed.
func (v *proving) killAtRandom(name string, chance *rand.Rand) {
	v.Helper()
	var group sync.WaitGroup
	for i := range 4 {
		p := v.proof(fmt.Sprintf("%s-random-%d", name, i), []string{"", "", "55", "reverted", "busy", "cut"}[chance.IntN(6)])
		order := []*relaying{v.victim, v.survivor}
		if chance.IntN(2) == 0 {
			slices.Reverse(order)
		}
		group.Go(func() {
			for _, to := range order {
				if a := v.submit(to, p); a.status != 0 {
					v.ask(http.MethodGet, order[0].base, "/"+a.body.JobID, "", "")
					v.ask(http.MethodGet, order[1].base, "/"+a.body.JobID, "", "")
				}
			}
		})
	}
	delay := time.NewTimer(time.Duration(chance.Int64N(int64(40 * time.Millisecond))))
	<-delay.C
	v.victim.kill(v.T)
	group.Wait()
	for _, p := range v.proofs {
		if p.id != "" {
			v.named[p.id] = true
		}
	}
}

// dead reports whether a program has ended.
func (r *relaying) dead() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// accepted submits a job to the survivor, again while that refuses every job because
// the prover failed too often in a row.
func (v *proving) accepted(p *proof) (a answered) {
	v.Helper()
	v.survivor.until(v.T, "the prover is tried again", func() bool {
		a = v.submit(v.survivor, p)
		return a.status != http.StatusServiceUnavailable
	})
	return a
}

// resubmits checks the jobs of the last schedules, submits them again to the
// survivor, takes what they deliver, and checks them again.
func (v *proving) resubmits() {
	v.Helper()
	for _, p := range v.proofs {
		before := v.stored(p)
		if point, killed := v.point[p]; killed && before != fate[point] {
			v.Errorf("after a kill at %s: got %+v, want %+v", point, before, fate[point])
		}
		a := v.accepted(p)
		if want := map[bool]int{true: http.StatusAccepted, false: http.StatusOK}[before.status == ""]; a.status != want {
			v.Errorf("%s, which was %+v: got %d, want %d", p.name, before, a.status, want)
		}
		after := v.ends(p)
		resent := before.status == "" || before.status == prove.Unavailable
		if !resent && (after.status != before.status || after.attempts != before.attempts || after.received != before.received) {
			v.Errorf("%s: got %+v after another submission, want %+v unchanged", p.name, after, before)
		}
		if after.received > after.attempts || resent && after.received != before.received+1 {
			v.Errorf("%s: got %d requests at the prover for %d attempts (before: %+v), want at most one each", p.name, after.received, after.attempts, before)
		}
		for _, through := range []*relaying{v.victim, v.survivor, v.victim} {
			v.ask(http.MethodGet, through.base, "/"+p.id, "", "")
		}
		switch took, now := v.taken[p.id], v.stored(p); {
		case took > 1 || took == 1 && now.result != prove.Delivered:
			v.Errorf("%s: got the result %d times of %+v, want it once and so stored", p.name, took, now)
		case resent && now.status == prove.Succeeded && took != 1:
			v.Errorf("%s: got the result %d times of %+v, want it", p.name, took, now)
		case now.result == prove.Held:
			v.Errorf("%s: got %+v, want nothing held after a poll", p.name, now)
		}
	}
	v.done += len(v.proofs)
	v.proofs = nil
}
