package graph

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/explorer"
	"astrolabe/domain/prove"
	"astrolabe/domain/secret"
	"astrolabe/prover"
	proofs "astrolabe/repo/prove"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	sim "astrolabe/sim/prover"
)

// proving is a server whose workspaces can use a simulated prover.
type proving struct {
	*servedGraph
	relay *prove.Relay
	moved chan prove.Status
	ours  map[string]string
}

func serveProofs(t *testing.T, replies ...sim.Reply) *proving {
	t.Helper()
	upstream := sim.New(sim.Options{})
	upstream.Script(replies...)
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	client, err := prover.New(prover.Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	db := repotest.Open(t)
	p := &proving{moved: make(chan prove.Status, 100)}
	p.relay = prove.New(proofs.NewJobs(db), prove.Options{
		Keys: func() []secret.Material { return []secret.Material{{1}} }, Upstream: client, Concurrent: 1, OnTransition: func(s prove.Status) { p.moved <- s },
	})
	p.servedGraph = serveOver(t, db, time.Now, func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: o.Cursors})
		o.Proofs = p.relay
	})
	p.ours = p.prover()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.relay.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return p
}

// prover returns the header of a key that may read and prove.
func (g *servedGraph) prover() map[string]string {
	return map[string]string{"X-Service-Api-Key": g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read, account.Prove}})}
}

// submits submits a transaction and waits for the end of its job.
func (p *proving) submits(t *testing.T, name string, ends prove.Status) string {
	t.Helper()
	caller := &account.Caller{Kind: account.ByKey, Workspace: p.access.Workspace.ID, Subject: "k", Permissions: []account.Permission{account.Prove}}
	job, _, err := p.relay.Submit(t.Context(), caller, name+strings.Repeat("-", 16), []byte(`{"block_id":{"block_number":7},"transaction":{"type":"INVOKE","name":"`+name+`"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for status := range p.moved {
		if status == ends {
			return job.ID
		}
	}
	return ""
}

const proofFields = `{ jobId status terminal attemptCount queuePosition pollAfterSeconds createdAt completedAt resultUnavailableReason error { code source } }`

// TestOwnerSeesTheStatusOfProofJobsAndTakesNothing reads jobs often, and then takes
// the result where it is delivered.
func TestOwnerSeesTheStatusOfProofJobsAndTakesNothing(t *testing.T) {
	t.Parallel()
	p := serveProofs(t, sim.Succeed(), sim.Fail(55, "hidden message", "hidden data"), sim.CutRead())
	ids := []string{p.submits(t, "a", prove.Succeeded), p.submits(t, "b", prove.Failed), p.submits(t, "c", prove.UnknownDelivery)}
	want := []string{"SUCCEEDED ", "FAILED 55 PROVER", "UNKNOWN_DELIVERY prover_delivery_unknown RELAY"}
	type job struct {
		JobID, Status           string
		Terminal                bool
		AttemptCount            int
		ResultUnavailableReason *string
		Error                   *struct{ Code, Source string }
	}
	text := func(j job) string {
		if j.Error == nil {
			return j.Status + " "
		}
		return j.Status + " " + j.Error.Code + " " + j.Error.Source
	}
	for range 3 {
		for i, id := range ids {
			a := p.sendAs(t, fmt.Sprintf(`{ proofJob(id: "%s") %s }`, id, proofFields), p.ours)
			if got := data[struct{ ProofJob job }](t, a).ProofJob; text(got) != want[i] || !got.Terminal || got.AttemptCount != 1 || got.ResultUnavailableReason != nil {
				t.Errorf("got %+v, want %s", got, want[i])
			}
			if strings.Contains(a.text, "hidden") {
				t.Errorf("got %s, want neither message nor data", a.text)
			}
		}
	}
	a := p.sendAs(t, `{ proofJobs(first: 2) { nodes { jobId } pageInfo { hasNextPage endCursor } } }`, p.ours)
	page := data[struct {
		ProofJobs struct {
			Nodes    []job
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
	}](t, a).ProofJobs
	next := p.sendAs(t, fmt.Sprintf(`{ proofJobs(after: "%s") { nodes { jobId } } }`, page.PageInfo.EndCursor), p.ours)
	rest := data[struct{ ProofJobs struct{ Nodes []job } }](t, next).ProofJobs
	var listed []string
	for _, j := range append(page.Nodes, rest.Nodes...) {
		listed = append(listed, j.JobID)
	}
	slices.Reverse(listed)
	if !slices.Equal(listed, ids) {
		t.Errorf("got %v, want %v, newest first", listed, ids)
	}
	if _, payload, err := p.relay.Poll(t.Context(), p.access.Workspace.ID, ids[0]); err != nil || payload == nil {
		t.Errorf("got %v and %v, want the result still there", payload, err)
	}
	a = p.sendAs(t, fmt.Sprintf(`{ proofJob(id: "%s") %s }`, ids[0], proofFields), p.ours)
	if got := data[struct{ ProofJob job }](t, a).ProofJob; got.ResultUnavailableReason == nil || *got.ResultUnavailableReason != "delivered_or_expired" {
		t.Errorf("got %+v, want the result delivered", got)
	}
}

func TestProofJobsBelongToTheirWorkspaceAndNeedTheirScope(t *testing.T) {
	t.Parallel()
	p := serveProofs(t)
	id := p.submits(t, "a", prove.Failed)
	foreign, err := p.relay.Of(t.Context(), p.access.Workspace.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	p.execute(t, "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('other', 'other', 'standard', now())")
	p.execute(t, "UPDATE prove_jobs SET workspace = 'other' WHERE id = '"+foreign.ID+"'")
	query := fmt.Sprintf(`{ proofJob(id: "%s") %s proofJobs { nodes { jobId } } }`, id, proofFields)
	if a := p.sendAs(t, query, p.ours); len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeNotFound || strings.Contains(string(a.body.Data), "prv_") {
		t.Errorf("got %s, want not_found and an empty list", a.text)
	}
	reader := map[string]string{"X-Service-Api-Key": p.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read, account.Partner}})}
	if a := p.sendAs(t, query, reader); len(a.body.Errors) == 0 || a.body.Errors[0].Extensions.Code != domain.CodeForbidden {
		t.Errorf("got %s, want forbidden", a.text)
	}
}

func TestWithoutAProverThereAreNoProofJobs(t *testing.T) {
	t.Parallel()
	g := serveOver(t, repotest.Open(t), time.Now, nil)
	a := g.sendAs(t, `{ proofJob(id: "prv_abcdefghijklmnopqrstuvwxyz") { status } proofJobs { nodes { jobId } } }`, g.prover())
	if len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Code != domain.CodeNotFound || !strings.Contains(a.text, `"nodes":[]`) {
		t.Errorf("got %s, want not_found and an empty list", a.text)
	}
}
