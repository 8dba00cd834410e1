package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/access/accesstest"
	"astrolabe/domain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/privacy"
	"astrolabe/jobs/index"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/polltest"
	"astrolabe/repo"
	indexed "astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
	"astrolabe/telemetry"
)

// liveChain is a simulated chain and the database of the index that follows it.
type liveChain struct {
	*testing.T
	sim      *sim.Node
	database string
	access   *accesstest.Fixture
	db       *repo.DB // of the index
}

// newLiveChain starts a chain of this many blocks and its index.
func newLiveChain(t *testing.T, blocks int) *liveChain {
	t.Helper()
	simulated := simtest.New(t, sim.Config{Blocks: blocks})
	server := httptest.NewServer(simulated.Handler())
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pool.Close()
		_ = simulated.Close()
		server.Close()
	})
	l := &liveChain{T: t, sim: simulated, database: pgtest.Database(t, repotest.Migrated)}
	l.db = l.open()
	l.access = accesstest.New(t, l.db, time.Now)
	loop := &index.Loop{
		Chain: domain.Mainnet, Pools: privacy.KnownPools(domain.Mainnet), Node: repotest.OnceRead{Source: pool.Source()}, Holder: "test",
		Leases: indexed.NewLeases(l.db), Checkpoints: indexed.NewCheckpoints(l.db), Classes: indexed.NewArchive(l.db), Writer: indexed.NewWriter(l.db), Backfills: indexed.NewBackfills(l.db),
		Every: 10 * time.Millisecond, Lease: time.Minute, Depth: 30,
		Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	l.await()
	return l
}

// open connects to the database like another process.
func (l *liveChain) open() *repo.DB {
	l.Helper()
	db, err := repo.Open(l.Context(), repo.Options{URL: l.database})
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(db.Close)
	return db
}

// await waits until the index has the chain's head.
func (l *liveChain) await() {
	l.Helper()
	polltest.Until(l.T, "that the index holds the head", func() bool {
		head := l.sim.Head().Header
		hash, held, err := indexed.NewCheckpoints(l.db).BlockHash(l.Context(), domain.Mainnet, head.BlockNumber)
		return err == nil && held && hash == head.BlockHash
	})
}

func (l *liveChain) mine(blocks int) {
	l.Helper()
	if err := l.sim.Mine(blocks); err != nil {
		l.Fatal(err)
	}
	l.await()
}

func (l *liveChain) reorg(depth int) {
	l.Helper()
	if err := l.sim.Reorg(depth); err != nil {
		l.Fatal(err)
	}
	l.await()
}

// process starts a server that is notified by listening alone, unless the
// change sets another option.
func (l *liveChain) process(change func(*Options)) *servedGraph {
	l.Helper()
	db := l.open()
	g := &servedGraph{log: new(logbook), access: l.access, db: db}
	o := Options{
		Gate: l.access.Gate, Chains: []domain.Chain{domain.Mainnet}, Version: "v1.2.3", PollEvery: time.Hour, TimeLimit: time.Minute,
		Services: explorer.New(explorer.Options{Stores: repositories.Explorer(db), Cursors: domain.NewCursors(fixedKey{})}),
		Logger:   slog.New(slog.NewTextHandler(g.log, nil)),
		// Clients may leave messages and pings unread while the test waits for
		// something else.
		KeepAlive: time.Hour, WriteTimeout: 5 * time.Minute,
	}
	if change != nil {
		change(&o)
	}
	g.Handler = New(o)
	server := httptest.NewServer(g.Handler)
	g.url = server.URL
	l.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := g.Shutdown(ctx); err != nil {
			l.Errorf("shutdown: %v", err)
		}
		server.Close()
	})
	return g
}

// listening starts a server and returns when it listens.
func (l *liveChain) listening(change func(*Options)) *servedGraph {
	l.Helper()
	g := l.process(change)
	ctx, stop := context.WithCancel(l.Context())
	up, ended := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		defer close(ended)
		onchain.ListenBlocks(ctx, g.db, func(c domain.Chain) {
			g.Notify(c)
			once.Do(func() { close(up) })
		})
	}()
	l.Cleanup(func() { stop(); <-ended })
	<-up
	return g
}

// execute runs a statement past the index.
func (l *liveChain) execute(statement string) {
	l.Helper()
	conn, err := pgx.Connect(l.Context(), l.database)
	if err != nil {
		l.Fatal(err)
	}
	defer func() { _ = conn.Close(l.Context()) }()
	if _, err := conn.Exec(l.Context(), statement); err != nil {
		l.Fatal(err)
	}
}

// topic is a subscription and the query that returns the same items.
type topic struct {
	field, arguments string // of the subscription
	node, selection  string // of its items
}

var blocksTopic = topic{"newBlocks", "", "block", "blockNumber blockHash parentHash"}

func (p topic) query(after string) string {
	if after != "" {
		after = fmt.Sprintf(" after: %q", after)
	}
	return fmt.Sprintf(`subscription { %s(chain: SN_MAIN %s%s) { cursor reorg { fromBlock toBlock ancestorBlockNumber ancestorBlockHash } %s { %s } } }`,
		p.field, p.arguments, after, p.node, p.selection)
}

// streamMessage is a message of a stream.
type streamMessage struct {
	cursor string
	reorg  *wireReorg
	block  uint64
	text   string // of the item; empty when there is none
}

type wireReorg struct {
	FromBlock, ToBlock  uint64
	AncestorBlockNumber *uint64
	AncestorBlockHash   *string
}

// read decodes the payload of a message.
func (p topic) read(t *testing.T, payload string) streamMessage {
	t.Helper()
	var result struct {
		Data   map[string]map[string]json.RawMessage
		Errors []wireError
	}
	if err := json.Unmarshal([]byte(payload), &result); err != nil || len(result.Errors) > 0 {
		t.Fatalf("got %s and %v, want no errors", payload, err)
	}
	fields := result.Data[p.field]
	var (
		m     streamMessage
		place struct{ BlockNumber uint64 }
	)
	for name, into := range map[string]any{"cursor": &m.cursor, "reorg": &m.reorg, p.node: &place} {
		if err := json.Unmarshal(fields[name], into); err != nil {
			t.Fatalf("%v: %s", err, payload)
		}
	}
	if text := string(fields[p.node]); text != "null" {
		m.block, m.text = place.BlockNumber, text
	}
	return m
}

// follower is a subscriber with the items that its messages add up to.
type follower struct {
	topic
	*client
	items  []streamMessage
	cursor string
	reorgs int
	past   []follower // its state at every cursor
}

// subscribes starts a subscriber, after a cursor or from now on.
func (g *servedGraph) subscribes(t *testing.T, p topic, after string) *follower {
	t.Helper()
	b := &follower{topic: p, client: g.open(t), cursor: after}
	b.subscribe("1", p.query(after))
	if after == "" {
		if first := b.next(); first.text != "" || first.reorg != nil {
			t.Fatalf("first message: got %+v, want one without an item", first)
		}
	}
	return b
}

// next reads one message and applies it.
func (b *follower) next() streamMessage {
	b.t.Helper()
	m := b.read(b.t, b.expect("next", "1"))
	if m.reorg != nil {
		b.reorgs++
		if m.text != "" || m.reorg.FromBlock > m.reorg.ToBlock || m.reorg.AncestorBlockNumber == nil || *m.reorg.AncestorBlockNumber+1 != m.reorg.FromBlock {
			b.t.Errorf("got the reorg %+v in %+v, want one that starts after its ancestor", m.reorg, m)
		}
		b.items = slices.DeleteFunc(slices.Clone(b.items), func(m2 streamMessage) bool { return m2.block >= m.reorg.FromBlock })
	}
	if m.text != "" {
		b.items = append(slices.Clone(b.items), m)
	}
	b.cursor = m.cursor
	b.past = append(b.past, follower{items: b.items, cursor: m.cursor})
	return m
}

// awaitItems reads until the subscriber has exactly these items.
func (b *follower) awaitItems(truth []string) {
	b.t.Helper()
	for !slices.Equal(texts(b.items), truth) {
		b.next()
		if len(b.items) > 10*len(truth)+1000 {
			b.t.Fatalf("got %d items, want %d", len(b.items), len(truth))
		}
	}
}

func texts(list []streamMessage) (all []string) {
	for _, m := range list {
		all = append(all, m.text)
	}
	return all
}

// blocksAfter returns the blocks of the chain after one, as a stream sends them.
func (l *liveChain) blocksAfter(number uint64) (list []string) {
	l.Helper()
	for number++; number <= l.sim.Head().Header.BlockNumber; number++ {
		block, err := l.sim.Block(number)
		if err != nil {
			l.Fatal(err)
		}
		list = append(list, fmt.Sprintf(`{"blockNumber":%d,"blockHash":"%s","parentHash":"%s"}`, number, block.Header.BlockHash, block.Header.ParentHash))
	}
	return list
}

func (l *liveChain) head() uint64 { return l.sim.Head().Header.BlockNumber }
