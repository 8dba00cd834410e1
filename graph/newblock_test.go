package graph

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/facts"
	"astrolabe/graph/live"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repositories"
)

// ways are how a chain goes on: blocks that are mined, or replaced where the
// number is negative.
var ways = []int{1, 3, -2, 1, -4, 2, -1, -1, 1}

func (l *liveChain) goOn(way int) {
	l.Helper()
	if way < 0 {
		l.reorg(-way)
	} else {
		l.mine(way)
	}
}

func TestEveryProcessDeliversEachBlockOnceAndAnnouncesReorgs(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 10)
	subscribers := []*believer{}
	for range 2 {
		g := l.listening(nil)
		subscribers = append(subscribers, g.subscribes(t, blocksTopic, ""), g.subscribes(t, blocksTopic, ""))
	}
	for _, way := range ways {
		l.goOn(way)
		for _, b := range subscribers {
			b.comesTo(l.blocksAfter(10))
		}
	}
	for _, b := range subscribers {
		if b.reorgs != 4 {
			t.Errorf("%d reorgs were announced", b.reorgs)
		}
	}
}

func TestDeliveredBlockIsAlreadyListed(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 35)
	eventually(t, "some blocks are final, so that others are recalled", func() bool {
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
	newest() // is remembered
	for range 3 {
		l.mine(1)
		if want, got := fmt.Sprintf(`{"blocks":{"nodes":[%s]}}`, b.next().text), newest(); got != want {
			t.Fatalf("told of %s, found %s", want, got)
		}
	}
}

func TestStreamResumesAfterAnyCursorInAnotherProcess(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 10)
	b := l.listening(nil).subscribes(t, blocksTopic, "")
	for _, way := range ways {
		l.goOn(way)
		b.comesTo(l.blocksAfter(10))
	}
	l.goOn(-3) // while nobody looks
	l.goOn(20)
	restarted := l.listening(nil)
	for _, then := range b.past {
		again := restarted.subscribes(t, blocksTopic, then.cursor)
		again.beliefs = then.beliefs
		again.comesTo(l.blocksAfter(10))
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
		b.comesTo(l.blocksAfter(3))
	}
}

func TestStreamPollsWithoutAListener(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	b := l.process(func(o *Options) { o.PollEvery = 5 * time.Millisecond }).subscribes(t, blocksTopic, "")
	for _, way := range []int{2, -1, 1} {
		l.goOn(way)
		b.comesTo(l.blocksAfter(3))
	}
}

// readCounter counts what is read for subscribers.
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

func TestThousandSubscribersShareOneRead(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	stores := repositories.Explorer(l.db)
	store := &readCounter{BlockStore: stores.Blocks, ForkStore: stores.Forks}
	stores.Blocks, stores.Forks = store, store
	g := l.listening(func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: stores, Cursors: o.Cursors})
	})
	const sockets, each = 40, 25
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
					t.Fatalf("%s instead of block %d", text, l.head())
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
	// A commit is told once, and the index may have told twice of a reorg.
	if most := int64(3 * (blocks + 3)); store.blocks.Load() > most || store.forks.Load() > most {
		t.Errorf("%d reads of blocks and %d of forks", store.blocks.Load(), store.forks.Load())
	}
}

// any returns the next message, whatever it is.
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
		continue // the head of the answer, up to the first message
	}
	for range live.MaxUnread + 3 { // two are on their way
		before := g.hub.Next(domain.Mainnet)
		l.mine(1)
		eventually(t, "the block is seen", func() bool { return g.hub.Next(domain.Mainnet) > before })
	}
	for lines.Scan() && !strings.Contains(lines.Text(), "slow_consumer") {
		continue // what was on its way
	}
	if g.Slow() != 1 {
		t.Errorf("%d subscribers were dropped", g.Slow())
	}
	if text := lines.Text(); !strings.Contains(text, string(domain.CodeServiceUnavailable)) || !strings.Contains(text, "retryAfterSeconds") {
		t.Errorf("the last event is %s", text)
	}
}

func TestStreamCannotStartTooFarBack(t *testing.T) {
	t.Parallel()
	l := newLiveChain(t, 3)
	g := l.listening(func(o *Options) { o.Limits.ResumeBlocks = 5 })
	b := g.subscribes(t, blocksTopic, "")
	l.mine(5)
	b.comesTo(l.blocksAfter(3))
	again := g.subscribes(t, blocksTopic, b.past[0].cursor)
	again.comesTo(l.blocksAfter(3))
	l.mine(1)
	c := g.open(t)
	b.comesTo(l.blocksAfter(3))
	c.subscribe("1", blocksTopic.query(b.past[0].cursor))
	if errs := c.expect("error", "1"); !strings.Contains(errs, `"limit":{"name":"resumeBlocks","max":5,"actual":6}`) {
		t.Error(errs)
	}
	c.subscribe("1", blocksTopic.query("nonsense"))
	if errs := c.expect("error", "1"); !strings.Contains(errs, "invalid-cursor") {
		t.Error(errs)
	}
	events := topic{"events", `filter: {addresses: ["0x1"]}`, "event", "blockNumber"}
	c.subscribe("1", events.query(b.cursor))
	if errs := c.expect("error", "1"); !strings.Contains(errs, "invalid-cursor") {
		t.Error(errs)
	}
}
