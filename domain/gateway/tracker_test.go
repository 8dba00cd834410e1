package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestHeadsContinueAfterALossWithoutAGap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		head int    // of the chain after the loss
		fork string // that it is on
		// replay is whether the node has the block at which heads continue.
		replay bool
		after  []string // what the node sends then
		want   []string
	}{
		"the node repeats the known block":   {102, "a", true, []string{"101a", "102a", "103a"}, []string{"head 102a", "head 103a"}},
		"the node begins after it":           {102, "a", true, []string{"102a"}, []string{"head 102a"}},
		"the node is behind":                 {100, "a", false, []string{"101a", "102a"}, []string{"head 102a"}},
		"the node does not go back":          {105, "a", false, []string{"105a"}, []string{"head 102a", "head 103a", "head 104a", "head 105a"}},
		"the chain changed":                  {102, "b", true, []string{"101b", "102b"}, []string{"reorg 100-101", "head 100b", "head 101b", "head 102b"}},
		"the chain changed and is shorter":   {100, "b", false, []string{"101b"}, []string{"reorg 100-101", "head 100b", "head 101b"}},
		"a fork that came and went":          {102, "a", true, []string{"101a", "102b", "reorg 102b", "102a"}, []string{"head 102a"}},
		"the node tells a reorg":             {102, "a", true, []string{"102a", "reorg 102a", "102a"}, []string{"head 102a", "reorg 102-102", "head 102a"}},
		"a reorg that subscribers know":      {102, "a", true, []string{"101a", "102a", "reorg 102b"}, []string{"head 102a"}},
		"a head that has left the chain too": {102, "a", true, []string{"103c", "101a", "102a"}, []string{"head 102a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, node := openScript()
				s := subscribe(t, g, heads, `[]`)
				defer s.Close()
				node.newest().head(100, "a")
				node.newest().head(101, "a")
				requireReceived(t, s, "head 100a", "head 101a")
				node.answer = chainOf(&test.head, &test.fork)
				node.refuse = func(params string) error {
					if params != "" && params != "[]" && !test.replay {
						return &NodeError{24, json.RawMessage(`{"code":24}`)}
					}
					return nil
				}
				l := node.cut()
				for _, message := range test.after {
					var number int
					var fork string
					if _, err := fmt.Sscanf(message, "reorg %d%s", &number, &fork); err == nil {
						l.messages <- Notification{reorgMethod, json.RawMessage(fmt.Sprintf(
							`{"starting_block_number":%d,"starting_block_hash":"%[2]s","ending_block_number":%[1]d,"ending_block_hash":"%[2]s"}`, number, hashOf(number, fork)))}
						continue
					}
					_, _ = fmt.Sscanf(message, "%d%s", &number, &fork)
					l.head(number, fork)
				}
				requireReceived(t, s, test.want...)
				if want := `{"block_id":{"block_number":101}}`; node.asked[1] != want {
					t.Errorf("got the params %s after the loss, want %s", node.asked[1], want)
				}
			})
		})
	}
}

func TestHeadsContinueIfTheFirstWasNeverReceived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, heads, `[]`)
		defer s.Close()
		l := node.cut()
		l.head(99, "a") // was there before the subscription
		l.head(100, "a")
		requireReceived(t, s, "head 100a")
	})
}

func TestMessagesPassUnchangedWhileNothingIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, heads, `[]`)
		defer s.Close()
		for _, text := range []string{`{ "block_number" : 7 }`, `"x"`, headText(3, "a")} {
			node.newest().messages <- Notification{"starknet_subscriptionNewHeads", json.RawMessage(text)}
			if m, err := s.Next(t.Context()); err != nil || string(m.Result) != text {
				t.Errorf("got %s and %v, want %s", m.Result, err, text)
			}
		}
	})
}

// event sends an event of a block; index tells events of a block apart.
func (l *line) event(number int, fork string, index int) {
	l.messages <- Notification{"starknet_subscriptionEvents", json.RawMessage(fmt.Sprintf(
		`{"block_number":%d,"block_hash":"%s","transaction_hash":"0x1","event_index":%d,"from_address":"0x2","keys":[],"data":[],"finality_status":"ACCEPTED_ON_L2"}`,
		number, hashOf(number, fork), index))}
}

const events = "starknet_subscribeEvents"

func TestEventsContinueAfterALossWithoutAGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, events, `[ "0x2", [["0x3"]] ]`)
		defer s.Close()
		l := node.newest()
		l.event(100, "a", 0)
		l.event(101, "a", 0)
		l.event(101, "a", 1)
		requireReceived(t, s, "event 100a.0", "event 101a.0", "event 101a.1")
		head, fork := 101, "a"
		node.answer = chainOf(&head, &fork)
		l = node.cut()
		if want := `{"block_id":{"block_number":101},"from_address":"0x2","keys":[["0x3"]]}`; node.asked[1] != want {
			t.Errorf("got the params %s, want %s", node.asked[1], want)
		}
		for _, index := range []int{0, 1, 2} {
			l.event(101, "a", index)
		}
		l.event(102, "a", 0)
		requireReceived(t, s, "event 101a.2", "event 102a.0")

		head, fork = 103, "b" // from block 100 on
		l = node.cut()
		if !strings.Contains(node.asked[2], `{"block_number":100}`) {
			t.Errorf("got the params %s after the reorg, want its first block", node.asked[2])
		}
		l.event(99, "b", 0) // before the subscription
		l.event(100, "b", 0)
		l.event(103, "b", 0)
		requireReceived(t, s, "reorg 100-102", "event 100b.0", "event 103b.0")
	})
}

// reorganise subscribes at a block of fork a, lets act play what happens, and
// loses the subscription. Meanwhile fork b replaces all blocks from 100 on.
func reorganise(t *testing.T, method string, at int, act func(*line)) (subscribed, *script, *line) {
	t.Helper()
	g, node := openScript()
	head, fork := at, "a"
	node.answer = chainOf(&head, &fork)
	s := subscribe(t, g, method, `[]`)
	head += 5
	act(node.newest())
	synctest.Wait()
	fork = "b"
	return s, node, node.cut()
}

func TestEventsOfAForkBelowTheFirstEventAreNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, node, l := reorganise(t, events, 103, func(l *line) { l.event(106, "a", 0) })
		defer s.Close()
		if want := `{"block_id":{"block_number":100}}`; node.asked[1] != want {
			t.Errorf("got the params %s after the reorg, want %s", node.asked[1], want)
		}
		l.event(101, "b", 0)
		l.event(107, "b", 0)
		requireReceived(t, s, "event 106a.0", "reorg 100-106", "event 101b.0", "event 107b.0")
	})
}

func TestEventsOfAForkBelowAQuietSubscriptionAreNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, l := reorganise(t, events, 110, func(*line) {})
		defer s.Close()
		l.event(108, "b", 0)
		l.event(111, "b", 0)
		requireReceived(t, s, "reorg 100-110", "event 108b.0", "event 111b.0")
	})
}

func TestHeadsOfAForkBelowTheFirstHeadAreNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, l := reorganise(t, heads, 102, func(l *line) { l.head(103, "a") })
		defer s.Close()
		l.head(103, "b")
		l.head(104, "b")
		requireReceived(t, s, "head 103a", "reorg 100-103", "head 100b", "head 101b", "head 102b", "head 103b", "head 104b")
	})
}

func TestReorgOfMoreBlocksThanAreKnownEndsTheSession(t *testing.T) {
	t.Parallel()
	for _, method := range []string{heads, events} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, _, l := reorganise(t, method, 100+maxKnown, func(*line) {})
				defer s.Close()
				if method == heads {
					l.head(101+maxKnown, "b")
				}
				if m, err := s.Next(t.Context()); !errors.Is(err, ErrInterrupted) {
					t.Errorf("got %v and %v, want %v", m, err, ErrInterrupted)
				}
			})
		})
	}
}

func TestQuietEventsContinueAsFarBackAsNodesAllow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, events, `{}`)
		defer s.Close()
		head, fork := 5000, "a"
		node.answer = chainOf(&head, &fork)
		node.refuse = func(params string) error {
			if strings.Contains(params, `:99}`) {
				return &NodeError{68, json.RawMessage(`{"code":68}`)}
			}
			return nil
		}
		node.cut().event(5000, "a", 0)
		if got, want := node.asked[len(node.asked)-1], `{"block_id":{"block_number":4000}}`; got != want {
			t.Errorf("got the params %s, want %s", got, want)
		}
		requireReceived(t, s, "event 5000a.0")
	})
}

func TestSubscriptionThatCannotContinueEndsTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, events, `{}`)
		defer s.Close()
		node.refuse = func(string) error {
			time.Sleep(shortOutage)
			return &NodeError{68, json.RawMessage(`{"code":68}`)}
		}
		close(node.newest().messages)
		if _, err := s.Next(t.Context()); !errors.Is(err, ErrInterrupted) {
			t.Errorf("got %v, want %v", err, ErrInterrupted)
		}
	})
}

func TestGapOfTooManyHeadsEndsTheSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, node := openScript()
		s := subscribe(t, g, heads, `[]`)
		defer s.Close()
		node.refuse = func(params string) error {
			if params == "" {
				return nil
			}
			return &NodeError{68, json.RawMessage(`{"code":68}`)}
		}
		node.answer = func(_ context.Context, c Call) (json.RawMessage, error) {
			var number int
			if _, err := fmt.Sscanf(string(c.Params), `[{"block_hash":"0xa%d"}]`, &number); err != nil {
				return nil, err
			}
			return json.RawMessage(headText(number-1000, "a")), nil
		}
		node.cut().head(99+maxMissed, "a") // the most that is fetched
		if got := len(s.received()); got != maxMissed {
			t.Errorf("got %d heads, want %d", got, maxMissed)
		}
		node.cut().head(99+2*maxMissed+1, "a")
		if _, err := s.Next(t.Context()); !errors.Is(err, ErrInterrupted) {
			t.Errorf("got %v, want %v", err, ErrInterrupted)
		}
	})
}
