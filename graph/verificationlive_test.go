package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"astrolabe/access"
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/verify"
	"astrolabe/graph/live"
	jobstore "astrolabe/repo/verify"
)

// jobFollow subscribes to a job with every field.
func jobFollow(id string) string {
	return fmt.Sprintf(`subscription { verificationJob(chain: SN_MAIN, id: %q) { %s} }`, id, jobFields)
}

// socket opens a socket with the headers of a caller.
func (v *verifying) socket(header map[string]string) *client {
	v.Helper()
	sent := http.Header{}
	for name, value := range header {
		sent.Set(name, value)
	}
	c := v.dial(v.T, &websocket.DialOptions{Subprotocols: []string{live.Subprotocol}, HTTPHeader: sent})
	c.send(`{"type":"connection_init"}`)
	c.expect("connection_ack", "")
	return c
}

// state reads the next message, which has a job.
func (c *client) state() map[string]any {
	c.t.Helper()
	var m struct {
		Data   struct{ VerificationJob map[string]any }
		Errors []wireError
	}
	if err := json.Unmarshal([]byte(c.expect("next", "1")), &m); err != nil || len(m.Errors) > 0 {
		c.t.Fatalf("got %+v and %v, want a job", m, err)
	}
	return m.Data.VerificationJob
}

// moves moves a job as the processes that work on it do.
func (v *verifying) moves(id string, states ...verify.State) {
	v.Helper()
	for _, state := range states {
		_, err := jobstore.NewJobs(v.db).ChangeJob(v.Context(), id, func(j *verify.Job) *verify.Change {
			change := &verify.Change{At: j.UpdatedAt.Add(time.Second), To: state}
			switch state {
			case verify.Validating:
				change.Source = &verify.Source{Body: strings.NewReader("source"), ExpiresAt: j.UpdatedAt.Add(time.Hour)}
			case verify.Comparing:
				change.Build = &verify.Build{Toolchain: verify.Toolchain{Name: "scarb"}, Profile: "release", LogTail: "Finished"}
			case verify.Failed:
				change.Failure = &verify.Failure{Code: verify.DeclarationUnavailable, Message: "Retry."}
			}
			return change
		})
		if err != nil {
			v.Fatal(err)
		}
	}
}

// stored reads a job past GraphQL, as it was at a move of its history.
func (v *verifying) stored(id string, move int) map[string]any {
	v.Helper()
	job, err := v.jobs.Of(v.Context(), domain.Mainnet, v.owner, id)
	if err != nil {
		v.Fatal(err)
	}
	return view(job.AsOf(move))
}

// TestJobSubscriptionSendsEachStateOnceInOrderAndCompletes lets a job pass several
// states between two reads.
func TestJobSubscriptionSendsEachStateOnceInOrderAndCompletes(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	c := v.socket(v.ours)
	c.subscribe("1", jobFollow(id))
	if diff := cmp.Diff(v.stored(id, 0), c.state()); diff != "" {
		t.Errorf("first message: got another job (-want +got):\n%s", diff)
	}
	move := 0
	for _, states := range [][]verify.State{{verify.Validating}, {verify.Queued, verify.Building, verify.Comparing, verify.Failed}} {
		v.moves(id, states...)
		v.NotifyJob(id)
		for range states {
			move++
			if diff := cmp.Diff(v.stored(id, move), c.state()); diff != "" {
				t.Errorf("message %d: got another job (-want +got):\n%s", move, diff)
			}
		}
	}
	c.expect("complete", "1")
	c.subscribe("1", jobFollow(id))
	if job := c.state(); job["state"] != "FAILED" || job["build"] == nil || len(job["history"].([]any)) != 6 {
		t.Errorf("got %v, want the job as it ended", job)
	}
	c.expect("complete", "1")
}

// listens lets the database notify the subscribers, and returns when it does.
func (v *verifying) listens() {
	v.Helper()
	ctx, stop := context.WithCancel(v.Context())
	up, ended := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(ended)
		jobstore.ListenJobs(ctx, v.db, func(id string) {
			v.NotifyJob(id)
			once.Do(func() { close(up) })
		})
	}()
	v.Cleanup(func() { stop(); <-ended })
	<-up
}

// TestJobSubscribersAreNotifiedByTheDatabase also ends the connection of the
// listener before a move.
func TestJobSubscribersAreNotifiedByTheDatabase(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	v.listens()
	id := v.creates("first")
	clients := []*client{v.socket(v.ours), v.socket(v.ours)}
	for _, c := range clients {
		c.subscribe("1", jobFollow(id))
		c.state()
	}
	for _, state := range []verify.State{verify.Validating, verify.Queued, verify.Cancelled} {
		if state == verify.Queued {
			v.execute(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '/* listen.%'`)
		}
		v.moves(id, state)
		for _, c := range clients {
			if job := c.state(); job["state"] != strings.ToUpper(string(state)) {
				t.Fatalf("got the state %v, want %s", job["state"], state)
			}
		}
	}
	for _, c := range clients {
		c.expect("complete", "1")
	}
}

func TestFollowedJobIsPolledWithoutNotifications(t *testing.T) {
	t.Parallel()
	v := serveVerification(t, func(o *Options) { o.PollJobsEvery = 5 * time.Millisecond })
	id := v.creates("first")
	c := v.socket(v.ours)
	c.subscribe("1", jobFollow(id))
	c.state()
	v.cancel(id, v.ours)
	if job := c.state(); job["state"] != "CANCELLED" {
		t.Errorf("got the state %v, want CANCELLED", job["state"])
	}
	c.expect("complete", "1")
}

// TestJobOfAnotherWorkspaceCannotBeFollowed compares the refusals of a job of
// another workspace, of an ID that no job has and of one that none can have.
func TestJobOfAnotherWorkspaceCannotBeFollowed(t *testing.T) {
	t.Parallel()
	v := serveVerification(t)
	id := v.creates("first")
	refusal := func(c *client, query string) (text string) {
		t.Helper()
		c.subscribe("1", query)
		var errs []wireError
		if err := json.Unmarshal([]byte(c.expect("error", "1")), &errs); err != nil || len(errs) != 1 {
			t.Fatalf("got %+v and %v, want one error", errs, err)
		}
		return fmt.Sprint(errs[0].Extensions.Code, errs[0].Extensions.Scope, ": ", errs[0].Message)
	}
	theirs := v.socket(v.theirs)
	var refusals []string
	for _, asked := range []string{id, "vrf_" + strings.Repeat("a", 26), "nonsense"} {
		refusals = append(refusals, refusal(theirs, jobFollow(asked)))
	}
	if len(slices.Compact(slices.Clone(refusals))) != 1 || !strings.HasPrefix(refusals[0], string(domain.CodeNotFound)+": ") {
		t.Errorf("got %q, want three times the same %s", refusals, domain.CodeNotFound)
	}
	if got := refusal(v.socket(v.ours), strings.Replace(jobFollow(id), "SN_MAIN", "SN_SEPOLIA", 1)); got != refusals[0] {
		t.Errorf("another chain: got %q, want %q", got, refusals[0])
	}
	page := v.socket(map[string]string{access.PageHeader: v.pageToken("127.0.0.1")})
	if got := refusal(page, jobFollow(id)); !strings.HasPrefix(got, string(domain.CodeForbidden)+string(account.Verify)) {
		t.Errorf("a page: got %q, want %s with the scope %s", got, domain.CodeForbidden, account.Verify)
	}
}
