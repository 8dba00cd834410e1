package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain/account"
	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
	"astrolabe/prover"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	store "astrolabe/repo/prove"
	"astrolabe/repo/repotest"
	sim "astrolabe/sim/prover"
)

const proveRoute = "/v1/SN_MAIN/prove"

// newRelay returns a relay to the prover at a URL.
func newRelay(t *testing.T, db *repo.DB, url string, change func(*prove.Options)) *prove.Relay {
	t.Helper()
	upstream, err := prover.New(prover.Options{URL: url, Faults: 1, Pause: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	o := prove.Options{Keys: func() []secret.Material { return []secret.Material{{1}} }, Upstream: upstream}
	if change != nil {
		change(&o)
	}
	return prove.New(store.NewJobs(db), o)
}

// relayed is a service with a simulated prover.
type relayed struct {
	*service
	sim   *sim.Prover
	stop  func() // ends the relay
	other string // a key of another workspace
}

func newRelayed(t *testing.T, change func(*prove.Options)) *relayed {
	t.Helper()
	db := repotest.Open(t)
	r := &relayed{sim: sim.New(sim.Options{})}
	upstream := httptest.NewServer(r.sim)
	t.Cleanup(upstream.Close)
	relay := newRelay(t, db, upstream.URL, change)
	r.service = newServiceOver(t, db, time.Now, func(o *Options) { o.Proofs = relay })
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { relay.Run(ctx) })
	r.stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(r.stop)
	other, err := account.NewWorkspaces(accounts.NewWorkspaces(db), time.Now).Ensure(t.Context(), "another", account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	issued, err := r.access.Gate.Keys.Issue(t.Context(), other.ID, account.IssueRequest{Environment: account.Live, Permissions: []account.Permission{account.Prove}}, account.Operator("test"))
	if err != nil {
		t.Fatal(err)
	}
	r.other = issued.Text.Reveal()
	return r
}

// submission returns a body that the simulated prover proves, with calldata.
func submission(calldata string) string {
	bound := `{"max_amount":"0x1","max_price_per_unit":"0x0"}`
	return fmt.Sprintf(`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","version":"0x3","sender_address":"0x5","calldata":["%s"],"signature":[],"nonce":"0x1","tip":"0x0",
		"resource_bounds":{"l1_gas":%s,"l2_gas":%s,"l1_data_gas":%s},"paymaster_data":[],"account_deployment_data":[]}}`, calldata, bound, bound, bound)
}

func proveKey(name string) string { return name + strings.Repeat("-", 16) }

// submit sends a body with an idempotency key, and with a key that may do
// everything unless header has another.
func (r *relayed) submit(key, body string, header ...string) answer {
	r.t.Helper()
	if len(header) == 0 {
		header = []string{"X-Service-Api-Key", r.access.Key}
	}
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+proveRoute, bytes.NewReader([]byte(body)))
	if err != nil {
		r.t.Fatal(err)
	}
	return r.send(request, append(header, "Content-Type", "application/json", "Idempotency-Key", key)...)
}

// proofBody is the body of a job.
type proofBody struct {
	JobID                   string
	Status                  prove.Status
	Terminal                bool
	AttemptCount            int
	QueuePosition           *int
	PollAfterSeconds        int
	CreatedAt               time.Time
	CompletedAt             *time.Time
	Result                  json.RawMessage
	ResultUnavailableReason *string
	Error                   *struct {
		Code          any
		Source        prove.Source
		Message, Data json.RawMessage
	}
}

// proofOf decodes the body of a job, whatever the status.
func proofOf(t *testing.T, a answer) (body proofBody) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		t.Fatalf("got %s (%v), want a job", a.body, err)
	}
	return body
}

// accepted submits a body, which must become a new job.
func (r *relayed) accepted(name, body string) proofBody {
	r.t.Helper()
	a := r.submit(proveKey(name), body)
	if a.StatusCode != http.StatusAccepted {
		r.t.Fatalf("got %d %s, want 202", a.StatusCode, a.body)
	}
	return proofOf(r.t, a)
}

// ends waits with HEAD, which takes nothing, until a job is terminal.
func (r *relayed) ends(id string) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		job, err := r.services.Proofs.Of(r.t.Context(), r.access.Workspace.ID, id)
		if err != nil {
			r.t.Fatal(err)
		}
		if job.Status.Terminal() {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("got %s for a minute, want an end", job.Status)
		}
	}
}

// polled returns a job as GET shows it.
func (r *relayed) polled(id string) proofBody {
	r.t.Helper()
	return read[proofBody](r.service, proveRoute+"/"+id)
}
