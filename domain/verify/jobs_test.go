package verify_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/repo/repotest"
)

// path leads to every state that is not terminal.
var path = []verify.State{verify.AwaitingUpload, verify.Validating, verify.Queued, verify.Building, verify.Comparing}

func TestJobIsCancelledInEveryStateThatIsNotTerminal(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	for n, state := range path {
		job := i.creates("a", string(state))
		if state != verify.AwaitingUpload {
			i.commits(job.ID)
			i.moves(job.ID, path[2:max(n+1, 2)]...)
		}
		i.clock.passes(time.Second)
		cancelled, err := i.Cancel(t.Context(), domain.Mainnet, "a", job.ID)
		if err != nil || cancelled.State != verify.Cancelled || !cancelled.FinishedAt.Equal(i.clock.now()) {
			t.Fatalf("%s: got %v, want it cancelled now", state, err)
		}
		i.is(job.ID, append(append([]verify.State{}, path[:n+1]...), verify.Cancelled)...)
	}
}

func TestCancelLeavesAnEndedJobUnchanged(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	for state, before := range map[verify.State][]verify.State{
		verify.Succeeded: path[1:], verify.Mismatch: path[1:], verify.Failed: nil, verify.Cancelled: nil, verify.Expired: nil,
	} {
		job := i.creates("a", string(state))
		i.moves(job.ID, append(before[:len(before):len(before)], state)...)
		i.clock.passes(time.Second)
		kept, err := i.Cancel(t.Context(), domain.Mainnet, "a", job.ID)
		if err != nil || kept.State != state || kept.FinishedAt.Equal(i.clock.now()) {
			t.Errorf("got %v and %v, want the job %s as it was", kept, err, state)
		}
		i.is(job.ID, append(append([]verify.State{verify.AwaitingUpload}, before...), state)...)
	}
}

func TestCancelAfterTheUploadWindowFindsTheJobExpired(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	i.clock.passes(verify.UploadWindow)
	if got, err := i.Cancel(t.Context(), domain.Mainnet, "a", job.ID); err != nil || got.State != verify.Expired {
		t.Errorf("got %v and %v, want the job expired", got, err)
	}
}

// TestCancelAndCommitRaceToOneHistory runs a cancellation against an upload and
// against a validation. Whichever comes first, the history is one of the table.
func TestCancelAndCommitRaceToOneHistory(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	outcomes := map[string]int{}
	for n := range 20 {
		i.do("DELETE FROM verification_creates")
		job := i.creates("a", fmt.Sprint("race", n))
		var group sync.WaitGroup
		group.Go(func() {
			if _, _, err := i.uploads(job.ID, archive); err != nil && domain.CodeOf(err) != domain.CodeVerificationJobTerminal {
				t.Errorf("upload: got %v, want it committed or the job ended", err)
			}
			if err := i.Validate(t.Context(), job.ID, accepting{}); err != nil {
				t.Errorf("validation: got %v, want none", err)
			}
		})
		group.Go(func() {
			if _, err := i.Cancel(t.Context(), domain.Mainnet, "a", job.ID); err != nil {
				t.Errorf("cancel: got %v, want the job", err)
			}
		})
		group.Wait()
		ended, err := i.Of(t.Context(), domain.Mainnet, "a", job.ID)
		if err != nil || ended.State != verify.Cancelled {
			t.Fatalf("got %v and %v, want the job cancelled", ended, err)
		}
		var states []string
		for at, move := range ended.History {
			states = append(states, string(move.State))
			if at > 0 && !ended.History[at-1].State.May(move.State) {
				t.Errorf("got a transition to %s after %s, want only those of the table", move.State, ended.History[at-1].State)
			}
		}
		outcomes[strings.Join(states, " ")]++
	}
	t.Log(outcomes)
}

// accepting accepts every source, and reads it whole.
type accepting struct{}

// Check implements verify.Checker.
func (accepting) Check(r io.Reader, _ verify.Package) error {
	content, err := io.ReadAll(r)
	if err == nil && !bytes.Equal(content, archive) {
		return errors.New("another source")
	}
	return err
}

func TestJobOfAnotherWorkspaceLooksAbsent(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	job := i.creates("a", "first")
	absent := "vrf_" + strings.Repeat("a", 26)
	want := ""
	for name, who := range map[string]struct {
		chain         domain.Chain
		workspace, id string
	}{
		"an absent job":      {domain.Mainnet, "b", absent},
		"another workspace":  {domain.Mainnet, "b", job.ID},
		"no workspace":       {domain.Mainnet, "", job.ID},
		"another chain":      {domain.Sepolia, "a", job.ID},
		"an upper-case ID":   {domain.Mainnet, "a", strings.ToUpper(job.ID)},
		"an ID with a space": {domain.Mainnet, "a", job.ID + " "},
		"no ID":              {domain.Mainnet, "a", ""},
		"hostile bytes":      {domain.Mainnet, "a", "vrf_\x00'; DROP TABLE verification_jobs; --"},
	} {
		_, read := i.Of(t.Context(), who.chain, who.workspace, who.id)
		_, cancelled := i.Cancel(t.Context(), who.chain, who.workspace, who.id)
		_, _, uploaded := i.Upload(t.Context(), who.chain, who.workspace, who.id, verify.MaxUpload+1, nil)
		for act, err := range map[string]error{"read": read, "cancel": cancelled, "upload": uploaded} {
			text := i.coded(err, domain.CodeNotFound).Message
			if want == "" {
				want = text
			}
			if text != want {
				t.Errorf("%s of %s: got %q, want %q as for every other", act, name, text, want)
			}
		}
	}
	i.is(job.ID, verify.AwaitingUpload)
	if page, err := i.List(t.Context(), domain.Mainnet, "b", domain.PageRequest{Limit: 10}); err != nil || len(page.Items) != 0 {
		t.Errorf("got %v and %v, want an empty list", page, err)
	}
}

func TestListHasEveryJobOfTheWorkspaceNewestFirst(t *testing.T) {
	t.Parallel()
	i := newIntake(t, repotest.Followed)
	var want []string
	for n := range verify.MaxPerDay {
		job := i.creates("a", fmt.Sprint("job", n))
		i.moves(job.ID, verify.Cancelled)
		i.creates("b", fmt.Sprint("job", n)) // between them
		i.do("UPDATE verification_jobs SET state = 8, finished_at = now() WHERE workspace = 'b'")
		want = append([]string{job.ID}, want...)
	}
	var got []string
	request := domain.PageRequest{Limit: 2}
	for {
		page, err := i.List(t.Context(), domain.Mainnet, "a", request)
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range page.Items {
			got = append(got, job.ID)
			if len(job.History) != 2 {
				t.Errorf("got %v, want a history of two states", job.History)
			}
		}
		if page.Next == nil {
			break
		}
		request.After = page.Next
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
	if page, err := i.List(t.Context(), domain.Sepolia, "a", domain.PageRequest{Limit: 10}); err != nil || len(page.Items) != 0 {
		t.Errorf("got %v and %v on another chain, want an empty list", page, err)
	}
}
