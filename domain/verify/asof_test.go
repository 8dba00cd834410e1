package verify_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/verify"
	"astrolabe/starknet"
)

// TestJobAsOfAnEarlierStateHasNothingOfLaterOnes looks back from a job that has
// succeeded and whose source was deleted afterwards.
func TestJobAsOfAnEarlierStateHasNothingOfLaterOnes(t *testing.T) {
	t.Parallel()
	at := func(second int) *time.Time { return new(time.Date(2026, 7, 1, 12, 0, second, 0, time.UTC)) }
	job := &verify.Job{
		ID: "vrf_x", State: verify.Succeeded, CreatedAt: *at(0), UpdatedAt: *at(3), SourceCommittedAt: at(1), SourceExpiresAt: at(50), SourceDeletedAt: at(50), FinishedAt: at(3),
		History: []verify.Transition{
			{State: verify.AwaitingUpload, At: *at(0)}, {State: verify.Validating, At: *at(1)}, {State: verify.Queued, At: *at(1)},
			{State: verify.Building, At: *at(2)}, {State: verify.Comparing, At: *at(3)}, {State: verify.Succeeded, At: *at(3)},
		},
		Build: &verify.Build{Profile: "release"}, ProducedClassHash: new(starknet.FeltFromUint64(1)), ReceiptID: new(uint64(7)),
	}
	before := *job
	for move := range job.History {
		want := &verify.Job{
			ID: "vrf_x", State: job.History[move].State, CreatedAt: *at(0), UpdatedAt: job.History[move].At, SourceCommittedAt: at(1), SourceExpiresAt: at(50),
			History: job.History[:move+1],
		}
		switch want.State {
		case verify.AwaitingUpload:
			want.SourceCommittedAt, want.SourceExpiresAt = nil, nil
		case verify.Comparing:
			want.Build = job.Build
		case verify.Succeeded:
			want = job
		}
		if diff := cmp.Diff(want, job.AsOf(move)); diff != "" {
			t.Errorf("%s: got another job (-want +got):\n%s", job.History[move].State, diff)
		}
	}
	if diff := cmp.Diff(&before, job); diff != "" {
		t.Errorf("got the job changed (-want +got):\n%s", diff)
	}
}
