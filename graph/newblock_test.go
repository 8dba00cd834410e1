package graph

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/facts"
	"astrolabe/graph/live"
	"astrolabe/polltest"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repositories"
)

// steps are those of a chain: blocks that are mined, or replaced where the
// number is negative.
var steps = []int{1, 3, -2, 1, -4, 2, -1, -1, 1}

func (l *liveChain) advance(step int) {
	l.Helper()
	if step < 0 {
		l.reorg(-step)
	} else {
		l.mine(step)
	}
}

func TestEveryProcessDeliversEachBlockOnceAndAnnouncesReorgs(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 10)
	subscribers := []*follower{}
	for range 2 {
		g := l.listening(nil)
		subscribers = append(subscribers, g.subscribes(t, blocksTopic, ""), g.subscribes(t, blocksTopic, ""))
	}
	for _, step := range steps {
		l.advance(step)
		for _, b := range subscribers {
			b.awaitItems(l.blocksAfter(10))
		}
	}
	for _, b := range subscribers {
		if b.reorgs != 4 {
			t.Errorf("got %d reorgs, want 4", b.reorgs)
		}
	}
}

func TestDeliveredBlockIsAlreadyListed(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 35)
	polltest.Until(t, "that some blocks are final, so that others are recalled", func() bool {
		horizon, err := chain.NewStatuses(onchain.NewHeads(l.db), 0).Horizon(t.Context(), domain.Mainnet)
		return err == nil && horizon.Coverage != nil && horizon.Coverage.Finalized != nil
	})
	g := l.listening(func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: repositories.Explorer(l.db), Cursors: domain.NewCursors(fixedKey{}), Freshness: time.Hour})
		o.Cache.Listening(true)
	})
	newest := func() string {
		got := g.ask(t, `{ blocks(chain: SN_MAIN first: 1) { nodes { `+blocksTopic.selection+` } } }`, nil)
		return string(got.body.Data)
	}
	b := g.subscribes(t, blocksTopic, "")
	newest() // fills the cache
	for range 3 {
		l.mine(1)
		if want, got := fmt.Sprintf(`{"blocks":{"nodes":[%s]}}`, b.next().text), newest(); got != want {
			t.Fatalf("got the newest blocks %s, want %s", got, want)
		}
	}
}

func TestStreamResumesAfterAnyCursorInAnotherProcess(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 10)
	b := l.listening(nil).subscribes(t, blocksTopic, "")
	for _, step := range steps {
		l.advance(step)
		b.awaitItems(l.blocksAfter(10))
	}
	l.advance(-3) // without a subscriber
	l.advance(20)
	restarted := l.listening(nil)
	for _, then := range b.past {
		again := restarted.subscribes(t, blocksTopic, then.cursor)
		again.items = then.items
		again.awaitItems(l.blocksAfter(10))
		_ = again.conn.CloseNow()
	}
}

func TestStreamContinuesWhenItsListenerDisconnects(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	b := l.listening(nil).subscribes(t, blocksTopic, "")
	for range 3 {
		l.execute(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '/* listen.%'`)
		l.mine(1)
		b.awaitItems(l.blocksAfter(3))
	}
}

func TestStreamPollsWithoutAListener(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	b := l.process(func(o *Options) { o.PollEvery = 5 * time.Millisecond }).subscribes(t, blocksTopic, "")
	for _, step := range []int{2, -1, 1} {
		l.advance(step)
		b.awaitItems(l.blocksAfter(3))
	}
}

// readCounter counts the reads for subscribers.
type readCounter struct {
	chain.BlockStore
	chain.ForkStore
	blocks, forks atomic.Int64
}

func (c *readCounter) HeadersBetween(ctx context.Context, id domain.Chain, blocks chain.BlockRange, oldestFirst bool, limit int) ([]*facts.Header, error) {
	c.blocks.Add(1)
	return c.BlockStore.HeadersBetween(ctx, id, blocks, oldestFirst, limit)
}

func (c *readCounter) ForkAfter(ctx context.Context, id domain.Chain, number uint64) (*chain.Fork, error) {
	c.forks.Add(1)
	return c.ForkStore.ForkAfter(ctx, id, number)
}

// TestSubscribersOfBlocksShareOneRead follows a chain with 200 subscribers, and
// with a thousand when ASTROLABE_SOAK is set.
func TestSubscribersOfBlocksShareOneRead(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	stores := repositories.Explorer(l.db)
	store := &readCounter{BlockStore: stores.Blocks, ForkStore: stores.Forks}
	stores.Blocks, stores.Forks = store, store
	g := l.listening(func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: stores, Cursors: o.Cursors})
	})
	sockets := 8
	if soak {
		sockets = 40
	}
	const each = 25
	clients := make([]*client, sockets)
	for i := range clients {
		clients[i] = g.open(t)
		for id := range each {
			clients[i].subscribe(fmt.Sprint(id), blocksTopic.query(""))
		}
		for range each {
			clients[i].any()
		}
	}
	store.blocks.Store(0)
	store.forks.Store(0)
	const blocks = 3
	for range blocks {
		l.mine(1)
		for _, c := range clients {
			for range each {
				if text := c.any(); !strings.Contains(text, fmt.Sprintf(`"blockNumber":%d,`, l.head())) {
					t.Fatalf("got %s, want block %d", text, l.head())
				}
			}
		}
	}
	l.reorg(2)
	for _, c := range clients {
		for range 3 * each { // the reorg and two blocks
			c.any()
		}
	}
	// A commit notifies once, a reorg once or twice.
	if most := int64(3 * (blocks + 3)); store.blocks.Load() > most || store.forks.Load() > most {
		t.Errorf("got %d reads of blocks and %d of forks, want at most %d", store.blocks.Load(), store.forks.Load(), most)
	}
}

// any returns the next message of any type.
func (c *client) any() string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	_, text, err := c.conn.Read(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func TestSlowBlockSubscriberIsDroppedWithACode(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	g := l.listening(func(o *Options) { o.WriteTimeout = 5 * time.Minute })
	body := `{"query":` + string(encode(blocksTopic.query(""))) + `}`
	conn := g.unbuffered(t, fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nX-Service-Api-Key: %s\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", g.access.Key, len(body), body))
	lines := bufio.NewScanner(conn)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
		continue // the response headers, up to the first message
	}
	for range live.MaxUnread + 3 { // two are in flight
		before := g.hub.(*live.Hub).Next(domain.Mainnet)
		l.mine(1)
		polltest.Until(t, "that the block is seen", func() bool { return g.hub.(*live.Hub).Next(domain.Mainnet) > before })
	}
	for lines.Scan() && !strings.Contains(lines.Text(), "slow_consumer") {
		continue // messages in flight
	}
	if g.Slow() != 1 {
		t.Errorf("got %d dropped subscribers, want 1", g.Slow())
	}
	if text := lines.Text(); !strings.Contains(text, string(domain.CodeServiceUnavailable)) || !strings.Contains(text, "retryAfterSeconds") {
		t.Errorf("last event: got %s, want %s with a delay", text, domain.CodeServiceUnavailable)
	}
}

func TestStreamCannotStartTooFarBack(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	g := l.listening(func(o *Options) { o.Limits.ResumeBlocks = 5 })
	b := g.subscribes(t, blocksTopic, "")
	l.mine(5)
	b.awaitItems(l.blocksAfter(3))
	again := g.subscribes(t, blocksTopic, b.past[0].cursor)
	again.awaitItems(l.blocksAfter(3))
	l.mine(1)
	c := g.open(t)
	b.awaitItems(l.blocksAfter(3))
	c.subscribe("1", blocksTopic.query(b.past[0].cursor))
	if errs := c.expect("error", "1"); !strings.Contains(errs, `"limit":{"name":"resumeBlocks","max":5,"actual":6}`) {
		t.Errorf("got %s, want the limit resumeBlocks of 5, exceeded by 6", errs)
	}
	c.subscribe("1", blocksTopic.query("nonsense"))
	if errs := c.expect("error", "1"); !strings.Contains(errs, "invalid-cursor") {
		t.Errorf("got %s, want invalid-cursor", errs)
	}
	events := topic{"events", `filter: {addresses: ["0x1"]}`, "event", "blockNumber"}
	c.subscribe("1", events.query(b.cursor))
	if errs := c.expect("error", "1"); !strings.Contains(errs, "invalid-cursor") {
		t.Errorf("got %s, want invalid-cursor", errs)
	}
}

func TestSubscriptionEndsWithALostPermission(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	g := l.listening(nil)
	key := g.access.Issue(account.IssueRequest{Permissions: []account.Permission{account.Read, account.Batch}})
	c := g.acknowledged(t, http.Header{"X-Service-Api-Key": {key}})
	c.subscribe("1", `subscription{newBlocks(chain:SN_MAIN){cursor block{sequencer{summary{found}}}}}`)
	c.expect("next", "1") // the start of the stream
	l.mine(1)
	if first := c.expect("next", "1"); !strings.Contains(first, `"summary":{"found":`) {
		t.Errorf("got %s, want a summary", first)
	}
	l.execute(`UPDATE api_keys SET permissions = '{read}' WHERE public_id = '` + publicID(key) + `'`)
	l.mine(1)
	if errs := c.expect("error", "1"); !strings.Contains(errs, string(domain.CodeForbidden)) || !strings.Contains(errs, "Address.summary needs the permission batch.") {
		t.Errorf("after the permission was removed: got %s, want %s with the field and its permission", errs, domain.CodeForbidden)
	}
}
