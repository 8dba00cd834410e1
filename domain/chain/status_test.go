package chain

import (
	"context"
	"errors"
	"testing"
	"time"

	"astrolabe/domain"
)

// stored is a set of heads that counts how often it is read.
type stored struct {
	heads map[domain.Chain]Head
	err   error
	reads int
}

func (s *stored) Heads(context.Context) (map[domain.Chain]Head, error) {
	s.reads++
	return s.heads, s.err
}

func TestAnIndexWithoutALeaderIsHaltedAndKeepsItsLastBlock(t *testing.T) {
	t.Parallel()
	block := &domain.BlockRef{Number: 5}
	for led, want := range map[bool]Head{
		true:  {State: Following, Block: block, Led: true, Depth: FinalityDepth},
		false: {State: Halted, ReasonCode: ReasonNoIndexer, Block: block, Depth: FinalityDepth},
	} {
		heads := &stored{heads: map[domain.Chain]Head{domain.Mainnet: {State: Following, Block: block, Led: led}}}
		got, err := NewStatuses(heads, 0).Of(t.Context(), []domain.Chain{domain.Mainnet})
		if err != nil || got[0].Head != want {
			t.Errorf("led %v: %+v, %v, want %+v", led, got, err, want)
		}
	}
}

func TestAReadOnlyDatabaseExplainsTheMissingLeader(t *testing.T) {
	t.Parallel()
	heads := &stored{heads: map[domain.Chain]Head{domain.Mainnet: {State: Following, ReadOnly: true}}}
	got, err := NewStatuses(heads, 0).Of(t.Context(), []domain.Chain{domain.Mainnet})
	if err != nil || got[0].Head.State != Halted || got[0].Head.ReasonCode != ReasonStorageReadOnly {
		t.Errorf("got %+v and %v, want %s for %s", got, err, Halted, ReasonStorageReadOnly)
	}
}

func TestLagAndL1AgeAreUnknownRatherThanZero(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	head, seen, l1 := &domain.BlockRef{Number: 9}, &Coverage{First: 0, Last: 7}, uint64(3)
	for name, c := range map[string]struct {
		head     Head
		lag, age int // -1: unknown
	}{
		"nothing":             {Head{}, -1, -1},
		"a head":              {Head{Block: head}, -1, -1},
		"coverage":            {Head{Coverage: seen}, -1, -1},
		"both":                {Head{Block: head, Coverage: seen, Led: true}, 2, -1},
		"an old head":         {Head{Block: head, Coverage: seen, Led: true, Stale: true}, -1, -1},
		"no indexer":          {Head{Block: head, Coverage: seen}, -1, -1},
		"a node behind":       {Head{Block: &domain.BlockRef{Number: 5}, Coverage: seen, Led: true}, 0, -1},
		"a watermark":         {Head{L1: &l1, L1Since: now.Add(-time.Minute)}, -1, 60},
		"almost a second":     {Head{L1: &l1, L1Since: now.Add(-1999 * time.Millisecond)}, -1, 1},
		"one from the future": {Head{L1: &l1, L1Since: now.Add(time.Minute)}, -1, 0},
		"one without a time":  {Head{L1: &l1}, -1, -1},
	} {
		status := Status{Head: c.head, AsOf: now}
		lag, knownLag := status.Lag()
		age, knownAge := status.L1AgeSeconds()
		if knownLag != (c.lag >= 0) || knownLag && lag != uint64(c.lag) || knownAge != (c.age >= 0) || knownAge && age != uint64(c.age) {
			t.Errorf("%s: got lag %d (known %v) and age %d (known %v), want lag %d and age %d, unknown where below 0", name, lag, knownLag, age, knownAge, c.lag, c.age)
		}
	}
}

func TestStatusesOfManyChainsAreOneRead(t *testing.T) {
	t.Parallel()
	heads := &stored{}
	got, err := NewStatuses(heads, 0).Of(t.Context(), []domain.Chain{domain.Sepolia, domain.Mainnet, domain.Sepolia})
	if err != nil || len(got) != 3 || got[0].Chain != domain.Sepolia || got[1].Chain != domain.Mainnet || heads.reads != 1 {
		t.Errorf("got %+v and %v after %d reads, want three in the requested order after one", got, err, heads.reads)
	}
}

func TestAStatusIsCachedOnlyWhileFreshAndNeverAfterAFailure(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	heads := &stored{heads: map[domain.Chain]Head{}}
	service := NewStatuses(heads, time.Second)
	service.now = func() time.Time { return now }
	ask := func() (time.Time, error) {
		got, err := service.Of(t.Context(), []domain.Chain{domain.Mainnet})
		if err != nil {
			return time.Time{}, err
		}
		return got[0].AsOf, nil
	}
	first, _ := ask()
	now = now.Add(999 * time.Millisecond)
	if again, err := ask(); err != nil || !again.Equal(first) || heads.reads != 1 {
		t.Errorf("while fresh: got a status as of %s after %d reads and %v, want %s after 1", again, heads.reads, err, first)
	}
	now = now.Add(time.Millisecond)
	heads.err = errors.New("down")
	if _, err := ask(); !errors.Is(err, heads.err) {
		t.Errorf("a failure after an old answer: got %v, want %v", err, heads.err)
	}
}

// hanging is a database that answers only when it is cancelled.
type hanging struct{ asked chan struct{} }

func (h hanging) Heads(ctx context.Context) (map[domain.Chain]Head, error) {
	h.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestASharedReadIsAwaitedOnlyUntilTheCallerCancels(t *testing.T) {
	t.Parallel()
	database := hanging{make(chan struct{}, 1)}
	service := NewStatuses(database, 0)
	first, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := service.Of(first, domain.Chains)
		ended <- err
	}()
	<-database.asked
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := service.Of(impatient, domain.Chains); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	end()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestTheIndexedSpanCountsBothEnds(t *testing.T) {
	t.Parallel()
	if got := (&Coverage{First: 7, Last: 7}).Blocks(); got != 1 {
		t.Errorf("one block: got %d, want 1", got)
	}
	if got := (&Coverage{First: 0, Last: 60}).Blocks(); got != 61 {
		t.Errorf("blocks 0 to 60: got %d, want 61", got)
	}
}

func TestAStatusHasATimeInWholeMilliseconds(t *testing.T) {
	t.Parallel()
	statuses := NewStatuses(&stored{}, 0)
	statuses.now = func() time.Time { return time.Unix(1_800_000_000, 1_999_999).In(time.FixedZone("", 3600)) }
	got, err := statuses.Of(t.Context(), []domain.Chain{domain.Mainnet})
	if want := time.Unix(1_800_000_000, 1_000_000).UTC(); err != nil || got[0].AsOf != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
}
