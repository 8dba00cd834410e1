package chain

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

// scripted is a node and an index of one chain: blocks up to a number, of
// which some are finalized.
type scripted struct {
	head, finalized uint64
	calls           int
	answer          func(at StateBlock, call ViewCall) (Answer, error)
	found           func() // what happens after each lookup
}

func hashOf(number uint64) starknet.Felt { return starknet.FeltFromUint64(0xb10c00 + number) }

// Find implements Node.
func (s *scripted) Find(_ context.Context, id BlockID) (StateBlock, bool, error) {
	if s.found != nil {
		defer s.found()
	}
	switch {
	case id.Tag == Pending:
		return StateBlock{Number: s.head + 1}, true, nil
	case id.Tag != "":
		return StateBlock{s.head, new(hashOf(s.head)), AcceptedOnL2}, true, nil
	case id.Number != nil && *id.Number <= s.head:
		return StateBlock{*id.Number, new(hashOf(*id.Number)), AcceptedOnL2}, true, nil
	}
	return StateBlock{}, false, nil
}

// Call implements Node.
func (s *scripted) Call(_ context.Context, at StateBlock, call ViewCall) (Answer, error) {
	s.calls++
	return s.answer(at, call)
}

// KnowsTransaction implements Node.
func (s *scripted) KnowsTransaction(context.Context, starknet.Felt) (bool, error) { return false, nil }

// Heads implements Heads.
func (s *scripted) Heads(context.Context) (map[domain.Chain]Head, error) {
	return map[domain.Chain]Head{domain.Mainnet: {Coverage: &Coverage{Last: s.head, Finalized: &s.finalized}}}, nil
}

// FinalizedBlock implements FinalizedBlocks.
func (s *scripted) FinalizedBlock(_ context.Context, _ domain.Chain, id BlockID) (*domain.BlockRef, error) {
	if id.Number == nil || *id.Number > s.finalized {
		return nil, nil
	}
	return &domain.BlockRef{Number: *id.Number, Hash: hashOf(*id.Number)}, nil
}

func (s *scripted) states() *States {
	return NewStates(map[domain.Chain]Node{domain.Mainnet: s}, s, NewStatuses(s, 0))
}

// tells answers with the number of the block.
func tells(at StateBlock, _ ViewCall) (Answer, error) {
	return Answer{Result: []starknet.Felt{starknet.FeltFromUint64(at.Number)}}, nil
}

func TestAPendingBlockThatMovesOnIsReadAgain(t *testing.T) {
	t.Parallel()
	node := &scripted{head: 10, answer: tells}
	moves := 0
	node.found = func() {
		if moves++; moves == 1 {
			node.head++
		}
	}
	block, result, err := node.states().View(t.Context(), domain.Mainnet, BlockID{Tag: Pending}, ViewCall{})
	if err != nil || block.Number != 12 || block.Hash != nil || result[0] != starknet.FeltFromUint64(12) || node.calls != 2 {
		t.Errorf("got %v, %v, %v after %d calls, want block 12 without a hash and 12 after 2 calls", block, result, err, node.calls)
	}
	node.found = func() { node.head++ }
	if _, _, err := node.states().View(t.Context(), domain.Mainnet, BlockID{Tag: Pending}, ViewCall{}); domain.CodeOf(err) != domain.CodeServiceUnavailable {
		t.Errorf("a block that never stays: got %v, want %s", err, domain.CodeServiceUnavailable)
	}
}

func TestOnlyAnswersAtFinalizedBlocksAreCached(t *testing.T) {
	t.Parallel()
	long := make([]starknet.Felt, keptFelts+1)
	for name, c := range map[string]struct {
		block  uint64
		call   ViewCall
		answer Answer
		again  bool // the node is asked again
	}{
		"a result":             {5, ViewCall{}, Answer{Result: []starknet.Felt{{}}}, false},
		"an empty result":      {5, ViewCall{}, Answer{}, false},
		"no entry point":       {5, ViewCall{}, Answer{NoView: true}, false},
		"no contract":          {5, ViewCall{}, Answer{NoContract: true}, false},
		"a revert":             {5, ViewCall{}, Answer{Reverted: true}, true},
		"too long a result":    {5, ViewCall{}, Answer{TooLarge: true}, true},
		"a long result":        {5, ViewCall{}, Answer{Result: long}, true},
		"long calldata":        {5, ViewCall{Calldata: long}, Answer{}, true},
		"a block of the head":  {6, ViewCall{}, Answer{Result: []starknet.Felt{{}}}, true},
		"a result of calldata": {5, ViewCall{Calldata: long[:2]}, Answer{Result: []starknet.Felt{{}}}, false},
	} {
		node := &scripted{head: 10, finalized: 5, answer: func(StateBlock, ViewCall) (Answer, error) { return c.answer, nil }}
		states := node.states()
		for range 2 {
			_, _, _ = states.View(t.Context(), domain.Mainnet, BlockID{Number: &c.block}, c.call)
		}
		if again := node.calls == 2; again != c.again {
			t.Errorf("%s: got %d calls of the node, want a second one: %t", name, node.calls, c.again)
		}
	}
}

func TestDifferentCallsAreCachedSeparately(t *testing.T) {
	t.Parallel()
	node := &scripted{head: 10, finalized: 5}
	node.answer = func(at StateBlock, call ViewCall) (Answer, error) {
		return Answer{Result: append([]starknet.Felt{*at.Hash, call.Contract, call.Selector}, call.Calldata...)}, nil
	}
	states := node.states()
	one, two := starknet.FeltFromUint64(1), starknet.FeltFromUint64(2)
	for range 2 {
		for _, call := range []ViewCall{
			{one, two, nil}, {two, one, nil}, {one, two, []starknet.Felt{one}}, {one, two, []starknet.Felt{one, two}}, {one, two, []starknet.Felt{two, one}},
		} {
			for _, number := range []uint64{3, 4} {
				_, got, err := states.View(t.Context(), domain.Mainnet, BlockID{Number: &number}, call)
				want, _ := node.answer(StateBlock{Hash: new(hashOf(number))}, call)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want.Result) {
					t.Errorf("%v at %d: %v, %v, want %v", call, number, got, err, want.Result)
				}
			}
		}
	}
	if node.calls != 10 {
		t.Errorf("got %d calls of the node, want 10", node.calls)
	}
}

func TestTheOldestAnswersAreEvicted(t *testing.T) {
	t.Parallel()
	node := &scripted{head: 10, finalized: 5, answer: func(StateBlock, ViewCall) (Answer, error) { return Answer{}, nil }}
	states := node.states()
	ask := func(n uint64) (calls int) {
		before, call := node.calls, ViewCall{Contract: starknet.FeltFromUint64(n)}
		if _, _, err := states.View(t.Context(), domain.Mainnet, BlockID{Number: new(uint64(5))}, call); err != nil {
			t.Fatal(err)
		}
		return node.calls - before
	}
	for n := range uint64(keptAnswers) {
		ask(n)
	}
	ask(0)
	ask(keptAnswers) // takes the place of 1
	for _, c := range []struct {
		n    uint64
		want int
	}{{keptAnswers, 0}, {0, 0}, {1, 1}} {
		if got := ask(c.n); got != c.want {
			t.Errorf("answer %d: the node was asked %d times, want %d", c.n, got, c.want)
		}
	}
	if got := states.answers.Len(); got != keptAnswers {
		t.Errorf("got %d cached answers, want %d", got, keptAnswers)
	}
}

// patient is a failure that says when to come back.
type patient time.Duration

// Error implements error.
func (p patient) Error() string { return "later" }

// RetryAfter tells when.
func (p patient) RetryAfter() time.Duration { return time.Duration(p) }

func TestTheRetryDelayOfANodeIsPassedOn(t *testing.T) {
	t.Parallel()
	for failure, want := range map[error]time.Duration{
		patient(7 * time.Second): 7 * time.Second, patient(time.Hour): longestRetry, patient(0): nodeRetry, errors.New("none"): nodeRetry,
	} {
		node := &scripted{head: 10, answer: func(StateBlock, ViewCall) (Answer, error) {
			return Answer{}, fmt.Errorf("%w: %w", ErrNodeUnavailable, failure)
		}}
		_, _, err := node.states().View(t.Context(), domain.Mainnet, BlockID{Tag: Latest}, ViewCall{})
		told, ok := errors.AsType[*domain.Error](err)
		if !ok || told.Code != domain.CodeServiceUnavailable || told.RetryAfter != want || !errors.Is(err, ErrNodeUnavailable) {
			t.Errorf("%v: got %v, want %s with a retry after %v", failure, err, domain.CodeServiceUnavailable, want)
		}
	}
}
