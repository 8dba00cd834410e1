package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/starknet"
)

const eventSelection = "blockNumber txIndex logIndex txHash address keys data decodingStatus eventName contract { address token { symbol } } transaction { txIndex }"

// pages reads a list page by page and returns its nodes, oldest first. The query
// has %s in place of the argument after.
func (g *servedGraph) pages(t *testing.T, query string, path ...string) (nodes []string) {
	t.Helper()
	for after := ""; ; {
		data := answer[json.RawMessage](t, g, fmt.Sprintf(query, after), nil)
		for _, name := range path {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(data, &fields); err != nil {
				t.Fatal(err)
			}
			data = fields[name]
		}
		var page struct {
			Nodes    []json.RawMessage
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		if err := json.Unmarshal(data, &page); err != nil {
			t.Fatal(err)
		}
		for _, node := range page.Nodes {
			nodes = append(nodes, string(node))
		}
		if !page.PageInfo.HasNextPage {
			slices.Reverse(nodes)
			return nodes
		}
		after = fmt.Sprintf("after: %q", page.PageInfo.EndCursor)
	}
}

// search returns the events that a filter selects between two blocks, oldest first.
func (g *servedGraph) search(t *testing.T, filter string, from, to uint64) []string {
	t.Helper()
	return g.pages(t, fmt.Sprintf(`{ events(chain: SN_MAIN filter: {%s fromBlock: %d toBlock: %d} first: 100 %%s) { nodes { %s } pageInfo { hasNextPage endCursor } } }`,
		filter, from, to, eventSelection), "events")
}

// eventFilters are filters of every shape that select some events.
func (g *servedGraph) eventFilters(t *testing.T, through uint64) []string {
	t.Helper()
	type row struct {
		Address string
		Keys    []string
	}
	transfer := starknet.Selector("Transfer").String()
	var keyed, other row
	for _, text := range g.search(t, fmt.Sprintf(`keys: [["%s"]]`, transfer), 0, through) {
		var r row
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Keys) > 1 {
			keyed = r
		} else {
			other = r
		}
	}
	if keyed.Address == "" || other.Address == "" {
		t.Fatalf("got transfers with %q and without %q further keys, want one of each", keyed.Address, other.Address)
	}
	return []string{
		fmt.Sprintf(`keys: [["%s"]]`, transfer),
		fmt.Sprintf(`keys: [["%s" "0x5"]]`, transfer),
		fmt.Sprintf(`addresses: ["%s" "%s"]`, keyed.Address, other.Address),
		fmt.Sprintf(`addresses: ["%s"] keys: [["%s"]]`, keyed.Address, transfer),
		fmt.Sprintf(`keys: [["%s"] ["%s"]]`, transfer, keyed.Keys[1]),
		fmt.Sprintf(`addresses: ["%s"] keys: [["%s"] [] ["%s"]]`, keyed.Address, transfer, keyed.Keys[2]),
	}
}

// eventSteps returns how many blocks the chain gains, or replaces, at each step.
func eventSteps() []int {
	if soak {
		return []int{3, 4, -3, 2, -5, 9}
	}
	return []int{3, -2, 2}
}

// followedSenders is how many senders of a block's transactions are followed.
func followedSenders() int {
	if soak {
		return 20
	}
	return 3
}

// resumed is about how many cursors a stream is resumed after.
func resumed() int {
	if soak {
		return 10
	}
	return 3
}

func TestDeliveredEventsAreThoseThatTheSearchFinds(t *testing.T) {
	t.Parallel()
	const start = 12
	l := newLiveChain(t, start)
	g := l.listening(nil)
	filters := g.eventFilters(t, start)
	subscribers := make([]*follower, len(filters))
	for i, filter := range filters {
		subscribers[i] = g.subscribes(t, topic{"events", "filter: {" + filter + "}", "event", eventSelection}, "")
	}
	for _, step := range eventSteps() {
		l.advance(step)
		for i, b := range subscribers {
			b.awaitItems(g.search(t, filters[i], start+1, l.head()))
		}
	}
	l.advance(-3) // without a subscriber
	l.advance(6)
	restarted := l.listening(nil)
	for i, b := range subscribers {
		truth := restarted.search(t, filters[i], start+1, l.head())
		t.Logf("%d events, %d messages, %d reorgs by %s", len(truth), len(b.past), b.reorgs, filters[i])
		for n := 0; n < len(b.past); n += 1 + len(b.past)/resumed() {
			again := restarted.subscribes(t, b.topic, b.past[n].cursor)
			again.items = b.past[n].items
			again.awaitItems(truth)
			_ = again.conn.CloseNow()
		}
	}
}

func TestEventStreamCanStartAtABlock(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 12)
	g := l.listening(nil)
	for _, filter := range g.eventFilters(t, 12) {
		b := g.subscribes(t, topic{"events", "filter: {fromBlock: 3 " + filter + "}", "event", eventSelection}, "")
		b.awaitItems(g.search(t, filter, 3, 12))
	}
}

func TestEventStreamRejectsFiltersThatTheSearchRejects(t *testing.T) {
	t.Parallel()
	g := explore(t)
	for filter, why := range map[string]string{
		``:                                   "requires filter.keys[0]",
		`keys: [[] ["0x1"]]`:                 "filter.keys[1] requires filter.keys[0]",
		`keys: [["0x1"]] toBlock: 5`:         "toBlock",
		`keys: [["0x1"]] fromBlock: 1000000`: "", // a future block
	} {
		c := g.open(t)
		c.subscribe("1", topic{"events", "filter: {" + filter + "}", "event", "blockNumber"}.query(""))
		kind := "error"
		if why == "" {
			kind = "next"
		}
		if text := c.expect(kind, "1"); !strings.Contains(text, why) {
			t.Errorf("%s: got %s, want %q", filter, text, why)
		}
	}
}

const activitySelection = "blockNumber txIndex logIndex transferIndex txHash kind counterparty amount token { symbol } transaction { txIndex }"

func TestAddressStreamDeliversItsActivity(t *testing.T) {
	t.Parallel()
	const start = 12
	l := newLiveChain(t, start)
	g := l.listening(nil)
	block := answer[struct {
		Block struct {
			SequencerAddress string
			Transactions     struct {
				Nodes []struct{ FromAddress *string }
			}
		}
	}](t, g, `{ block(chain: SN_MAIN) { sequencerAddress transactions(first: 20) { nodes { fromAddress } } } }`, nil).Block
	var senders []string
	for _, tx := range block.Transactions.Nodes {
		if tx.FromAddress != nil {
			senders = append(senders, *tx.FromAddress)
		}
	}
	senders = slices.Compact(slices.Sorted(slices.Values(senders)))
	addresses := append([]string{block.SequencerAddress}, senders[:min(followedSenders(), len(senders))]...)
	activity := func(g *servedGraph, address string) []string {
		all := g.pages(t, fmt.Sprintf(`{ address(chain: SN_MAIN address: "%s") { activity(first: 100 %%s) { nodes { %s } pageInfo { hasNextPage endCursor } } } }`, address, activitySelection), "address", "activity")
		return slices.DeleteFunc(all, func(text string) bool {
			var item struct{ BlockNumber uint64 }
			return json.Unmarshal([]byte(text), &item) != nil || item.BlockNumber <= start
		})
	}
	var subscribers []*follower
	for _, address := range addresses {
		subscribers = append(subscribers, g.subscribes(t, topic{"addressActivity", fmt.Sprintf("address: %q", address), "activity", activitySelection}, ""))
	}
	for _, step := range eventSteps() {
		l.advance(step)
		for i, b := range subscribers {
			b.awaitItems(activity(g, addresses[i]))
		}
	}
	l.advance(-3) // without a subscriber
	l.advance(6)
	restarted := l.listening(nil)
	for i, b := range subscribers {
		truth := activity(restarted, addresses[i])
		t.Logf("%d items, %d messages, %d reorgs of %s", len(truth), len(b.past), b.reorgs, addresses[i])
		for n := 0; n < len(b.past); n += 1 + len(b.past)/resumed() {
			again := restarted.subscribes(t, b.topic, b.past[n].cursor)
			again.items = b.past[n].items
			again.awaitItems(truth)
			_ = again.conn.CloseNow()
		}
	}
}
