package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/jobs/census"
	"astrolabe/jobs/materialise"
	"astrolabe/jobs/metadata"
	"astrolabe/jobs/privacy"
	"astrolabe/jobs/summaries"
	"astrolabe/node"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/events"
	"astrolabe/repo/index"
	privacystore "astrolabe/repo/privacy"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/sim"
	"astrolabe/sim/simtest"
)

// reorged is a simulated chain before and after a reorg of its blocks 51 to 55,
// and its node. It lives as long as the test program.
var reorged = sync.OnceValues(func() (*reorgedChain, error) {
	simulated, err := simtest.Open(sim.Config{Blocks: 55})
	if err != nil {
		return nil, err
	}
	before, err := repotest.Facts(simulated)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(simulated.Reorg(5), simulated.Mine(5)); err != nil {
		return nil, err
	}
	after, err := repotest.Facts(simulated)
	return &reorgedChain{simulated, verified(before), verified(after)}, err
})

// verified says how far blocks were verified: all are, except two.
func verified(blocks []facts.Block) []facts.Block {
	for i := range blocks {
		blocks[i].Header.Verification = facts.FullyVerified
	}
	blocks[44].Header.Verification, blocks[52].Header.Verification = facts.TransactionsVerified, facts.Unverified
	return blocks
}

type reorgedChain struct {
	*sim.Node
	before, after []facts.Block
}

// worked is the template of a database with the blocks of reorged and the results
// of all jobs and verified classes: one partition was loaded and built, two were ready from the start,
// and the last is still loading. Its blocks above 50 were replaced by a reorg.
func worked(ctx context.Context, url string) error {
	if err := repotest.Migrated(ctx, url); err != nil {
		return err
	}
	chain, err := reorged()
	if err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := repotest.NewIndex(ctx, db, 0, 10)
	index.Load(chain.before[:20])
	index.Commit(index.Open(20, 40, indexing.RangeReady), chain.before[20:40])
	index.Commit(index.Open(40, 48, indexing.RangeReady), chain.before[40:48])
	last := index.Open(48, 0, indexing.RangeLoading)
	index.Commit(last, chain.before[48:])
	index.Undo(&chain.after[50].Header)
	index.Finalized = new(uint64(len(chain.after)) - 1 - 20)
	index.Commit(last, chain.after[51:])
	index.RecordHead(30)
	index.Release()
	if err := index.Err(); err != nil {
		return err
	}
	if err := work(ctx, db, chain); err != nil {
		return err
	}
	return repotest.Receipts(ctx, url)
}

// proxied is a simulated chain that deploys proxies in block 65 and upgrades them
// in block 72, and its node.
var proxied = sync.OnceValues(func() (*reorgedChain, error) {
	simulated, err := simtest.Open(sim.Config{Blocks: repotest.ProxiedBlocks})
	if err != nil {
		return nil, err
	}
	blocks, err := repotest.Facts(simulated)
	return &reorgedChain{Node: simulated, after: blocks}, err
})

// proxies is the template of a database with the blocks of proxied: proxies and
// their upgrades are in different partitions.
func proxies(ctx context.Context, url string) error {
	if err := repotest.Migrated(ctx, url); err != nil {
		return err
	}
	chain, err := proxied()
	if err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := repotest.NewIndex(ctx, db, 0, 10)
	index.Load(chain.after[:70])
	index.Commit(index.Open(70, 100, indexing.RangeReady), chain.after[70:])
	index.Release()
	return index.Err()
}

// work runs the jobs until they have nothing left to do.
func work(ctx context.Context, db *repo.DB, chain *reorgedChain) error {
	server := httptest.NewServer(chain.Handler())
	defer server.Close()
	pool, err := node.Open(node.Options{Chain: domain.Mainnet, URLs: []string{server.URL}})
	if err != nil {
		return err
	}
	defer pool.Close()
	views, silent := map[domain.Chain]token.Views{domain.Mainnet: pool.Source()}, slog.New(slog.DiscardHandler)
	checkpoints := index.NewCheckpoints(db)
	jobs := []func(context.Context, time.Time) error{
		(&summaries.Sums{Store: tokens.NewSummaries(db), Logger: silent}).Run,
		(&privacy.Ledgers{Store: privacystore.NewLedgers(db), Logger: silent}).Run,
		(&summaries.Supplies{Nodes: views, Index: checkpoints, Store: tokens.NewSupplies(db), Logger: silent}).Run,
		(&metadata.Worker{Nodes: views, Index: checkpoints, Store: tokens.NewTokens(db), Logger: silent}).Run,
		(&census.Worker{
			Nodes: views, Index: checkpoints, Classes: index.NewArchive(db), Store: repositories.Census(db), Logger: silent, Refresh: time.Hour, Retention: 6 * time.Hour,
		}).Run,
		(&materialise.Extend{Chains: []domain.Chain{domain.Mainnet}, Store: events.NewCertificates(db), Logger: silent, Declared: []event.SelectorPosition{
			{Selector: repotest.TransferSelector, Position: 1}, {Selector: repotest.ApprovalSelector, Position: 1},
		}}).Run,
	}
	for range 2 { // a certificate is verified in a later run than the one that made it
		for _, job := range jobs {
			if err := job(ctx, time.Now()); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestEveryCorruptionIsFoundAndRepairedByThePrintedAdvice damages an index in
// every way of the list, runs what fsck prints until it finds nothing, and
// compares the index with a clean one. fsck has a node only for what cannot be
// found without one.
func TestEveryCorruptionIsFoundAndRepairedByThePrintedAdvice(t *testing.T) {
	t.Parallel()
	plain, withProxies := sound(t, worked, reorged), sound(t, proxies, proxied)
	for i, c := range corruptions {
		of := plain
		if c.proxies {
			of = withProxies
		}
		if !soak && i%quick != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &repairman{T: t, url: pgtest.Database(t, of.template), node: of.node}
			r.sql(c.statement)
			if c.restore {
				if code, output := r.command("fsck", "--database-url="+r.url); code == exitOK || !strings.Contains(output, "no repair: restore the rows") {
					t.Errorf("fsck: got exit code %d, want a finding that only a backup repairs:\n%s", code, output)
				}
				return
			}
			advice := r.fsck(c.byNode)
			if len(advice) == 0 {
				t.Fatal("got no finding of fsck, want one")
			}
			for round := 0; len(advice) > 0; round++ {
				if round == 6 {
					t.Fatalf("after %d rounds of repairs: got more advice, want none:\n%s", round, strings.Join(advice, "\n"))
				}
				for _, command := range advice {
					r.follow(command)
				}
				advice = r.fsck(c.byNode)
			}
			if got := r.digest(); got != of.digest {
				t.Errorf("after the repair: got the digest\n%swant\n%s", got, of.digest)
			}
			if advice := r.fsck(true); len(advice) > 0 {
				t.Errorf("with a node: got more advice, want none:\n%s", strings.Join(advice, "\n"))
			}
		})
	}
}

// soundIndex is an index without faults.
type soundIndex struct {
	template     pgtest.Template
	node, digest string
}

// sound checks that fsck finds nothing in an index as it was written.
func sound(t *testing.T, template pgtest.Template, of func() (*reorgedChain, error)) soundIndex {
	t.Helper()
	chain, err := of()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(chain.Handler())
	t.Cleanup(server.Close)
	r := &repairman{T: t, url: pgtest.Database(t, template), node: server.URL}
	if found := r.fsck(true); len(found) > 0 {
		t.Fatalf("a clean index: got findings, want none:\n%s", strings.Join(found, "\n"))
	}
	return soundIndex{template, server.URL, r.digest()}
}

// quick is which share of the corruptions an ordinary test run tries; all of them
// take minutes, and run when ASTROLABE_SOAK is set.
const quick = 20

// repairman damages a database and follows advice.
type repairman struct {
	*testing.T
	url, node string
}

// command runs a command of the program.
func (r *repairman) command(args ...string) (code int, output string) {
	r.Helper()
	var stdout, stderr bytes.Buffer
	code = run(r.Context(), args, &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

var printedAdvice = regexp.MustCompile(`(?m)^    repair(?: with SQL)?: (.*)$`)

// fsck returns the distinct repairs that fsck prints.
func (r *repairman) fsck(withNode bool) (advice []string) {
	r.Helper()
	args := []string{"fsck", "--database-url=" + r.url}
	if withNode {
		args = append(args, "--node-main="+r.node)
	}
	code, output := r.command(args...)
	r.Logf("%s", output)
	for _, match := range printedAdvice.FindAllStringSubmatch(output, -1) {
		if !slices.Contains(advice, match[1]) {
			advice = append(advice, match[1])
		}
	}
	if (code == exitOK) != (len(advice) == 0) {
		r.Fatalf("fsck: got exit code %d with %d repairs, want %d exactly if there are none:\n%s", code, len(advice), exitOK, output)
	}
	return advice
}

// follow does what fsck printed: a command of this program, in the words that a
// shell makes of it, or SQL. A node that fsck did not have is in the environment
// of an operator.
func (r *repairman) follow(advice string) {
	r.Helper()
	if !strings.HasPrefix(advice, "astrolabe ") {
		r.sql(advice)
		return
	}
	args := words(r.T, advice)[1:]
	if args[0] == "repair" && !strings.Contains(advice, "--node-main=") {
		args = append(args, "--node-main="+r.node)
	}
	if code, output := r.command(args...); code != exitOK {
		r.Fatalf("%s: got exit code %d, want %d\n%s", advice, code, exitOK, output)
	} else {
		r.Logf("%s", output)
	}
}

func (r *repairman) sql(statement string) {
	r.Helper()
	conn, err := pgx.Connect(r.Context(), r.url)
	if err != nil {
		r.Fatal(err)
	}
	defer conn.Close(r.Context())
	tag, err := conn.Exec(r.Context(), statement)
	if err != nil {
		r.Fatalf("%s: %v", statement, err)
	}
	if (tag.Update() || tag.Delete() || tag.Insert()) && tag.RowsAffected() == 0 {
		r.Fatalf("%s: got no changed rows, want some", statement)
	}
}

func (r *repairman) digest() string {
	r.Helper()
	code, output := r.command("digest", "--tables", "--database-url="+r.url)
	if code != exitOK {
		r.Fatalf("digest: got exit code %d, want %d\n%s", code, exitOK, output)
	}
	return output
}
