package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/sim/fault"
	"astrolabe/starknet"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

// patient is an indexed database, a node of a chain and a job.
type patient struct {
	*testing.T
	*Job
	sim   *sim.Node
	url   string
	db    *repo.DB
	conn  *pgx.Conn
	lines []string // that the job reported
}

func admit(t *testing.T, template pgtest.Template, config sim.Config) *patient {
	t.Helper()
	simulated, url := repotest.Serve(t, config)
	db, conn := repotest.Connect(t, template)
	p := &patient{T: t, sim: simulated, url: url, db: db, conn: conn}
	p.Job = &Job{
		Chain: domain.Mainnet, Leases: index.NewLeases(db), Checkpoints: index.NewCheckpoints(db), Archive: index.NewArchive(db),
		Store: index.NewRepairer(db), Entries: index.NewEntries(db), Node: repotest.OnceRead{Source: repotest.Client(t, url)}, Holder: "test",
		Report: func(line string) { p.lines = append(p.lines, line) },
	}
	return p
}

func (p *patient) digest() string {
	p.Helper()
	digest, err := index.NewArchive(p.db).Digest(p.Context(), domain.Mainnet)
	if err != nil {
		p.Fatal(err)
	}
	return digest
}

func (p *patient) strike(statement string) {
	p.Helper()
	if tag, err := p.conn.Exec(p.Context(), statement); err != nil || tag.RowsAffected() == 0 {
		p.Fatalf("%s: got %s and %v, want changed rows", statement, tag, err)
	}
}

// text returns the value that a query selects.
func (p *patient) text(query string) (value string) {
	p.Helper()
	if err := p.conn.QueryRow(p.Context(), query).Scan(&value); err != nil {
		p.Fatal(err)
	}
	return value
}

// TestARepairedBlockIsAsItWas repairs intact blocks, whose rows must not change:
// of the whole chain, and of a partial history with observed classes.
func TestARepairedBlockIsAsItWas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		template    pgtest.Template
		first, last uint64
	}{"whole": {repotest.Indexed, 0, 60}, "partial": {repotest.Begun, repotest.PartialFirst, 60}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := admit(t, c.template, sim.Config{Blocks: 60})
			before := p.digest()
			if err := p.Blocks(t.Context(), c.first, c.last); err != nil {
				t.Fatal(err)
			}
			for _, line := range p.lines {
				if !strings.HasSuffix(line, " confirmed") {
					t.Errorf("got %q, want every block confirmed", line)
				}
			}
			if after := p.digest(); after != before {
				t.Errorf("got the digest %s, want %s", after, before)
			}
		})
	}
}

func TestABlockGetsADigestOnlyAfterTheNodeConfirmedIt(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	p.strike("UPDATE blocks SET base_digest = NULL WHERE block = 12")
	if err := p.Blocks(t.Context(), 12, 12); err != nil {
		t.Fatal(err)
	}
	if want := "block 12 confirmed, and its digest stored"; !slices.Contains(p.lines, want) {
		t.Errorf("got %q, want %q", p.lines, want)
	}
	var held bool
	if err := p.conn.QueryRow(t.Context(), "SELECT base_digest IS NOT NULL FROM blocks WHERE block = 12").Scan(&held); err != nil || !held {
		t.Errorf("got a digest: %t, %v; want one", held, err)
	}
}

func TestANodeOfAnotherChainRepairsNothing(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60, Seed: 1})
	p.strike("UPDATE events SET payload = payload || payload WHERE block = 12")
	before := p.digest()
	if err := p.Blocks(t.Context(), 12, 12); !errors.Is(err, ErrOtherChain) {
		t.Errorf("got %v, want %v", err, ErrOtherChain)
	}
	if after := p.digest(); after != before {
		t.Errorf("got the digest %s, want %s", after, before)
	}
}

func TestADamagedHashIsReplacedOnlyIfOtherBlocksConfirmIt(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	before := p.digest()
	p.strike("UPDATE blocks SET hash = state_root WHERE block = 30")
	if err := p.Blocks(t.Context(), 30, 30); err != nil || p.digest() != before {
		t.Fatalf("got %v and digest %s, want %s", err, p.digest(), before)
	}
	if len(p.lines) == 0 || !strings.Contains(p.lines[0], "is confirmed by the neighbouring blocks and the node") {
		t.Errorf("got %q, want the first line to say who confirmed the hash", p.lines)
	}
	p.strike("UPDATE blocks SET hash = state_root WHERE block = 30")
	p.strike("UPDATE blocks SET parent_hash = state_root WHERE block = 31")
	p.lines = nil
	if err := p.Blocks(t.Context(), 30, 31); err != nil || p.digest() != before {
		t.Fatalf("got %v and digest %s, want %s", err, p.digest(), before)
	}
	if len(p.lines) == 0 || !strings.Contains(p.lines[0], "is confirmed by the stored hash of block 31 and the node") {
		t.Errorf("got %q, want the first line to say who confirmed the hash", p.lines)
	}
	p.strike("UPDATE blocks SET hash = set_byte(hash, 31, 255 - get_byte(hash, 31)) WHERE block BETWEEN 5 AND 24")
	p.strike("UPDATE blocks SET parent_hash = set_byte(parent_hash, 31, 255 - get_byte(parent_hash, 31)) WHERE block BETWEEN 6 AND 25")
	p.lines = nil
	if err := p.Blocks(t.Context(), 5, 25); err != nil || p.digest() != before {
		t.Fatalf("got %v and digest %s, want %s", err, p.digest(), before)
	}
	if len(p.lines) == 0 || !strings.Contains(p.lines[0], "is confirmed by the stored hash of block 25 and the node") {
		t.Errorf("got %q, want the first line to say who confirmed the hash", p.lines)
	}
	for _, table := range []string{"blocks", "blocks_1_45"} { // attached or not
		p.strike("UPDATE " + table + " SET hash = set_byte(hash, 31, 255 - get_byte(hash, 31)), parent_hash = set_byte(parent_hash, 31, 255 - get_byte(parent_hash, 31)) WHERE block >= 30")
	}
	if err := p.Blocks(t.Context(), 30, 30); !errors.Is(err, ErrOtherChain) {
		t.Errorf("got %v, want %v", err, ErrOtherChain)
	}
}

func TestALostVersionIsRecordedOnlyIfEveryBlockHasADigestThatHolds(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	version := func() (n int) {
		if err := p.conn.QueryRow(t.Context(), "SELECT coalesce(max(version), 0) FROM deriver_versions WHERE chain = 1 AND fact = 'transactions'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	p.strike("DELETE FROM deriver_versions WHERE chain = 1 AND fact = 'transactions'")
	p.strike("UPDATE transactions SET fee = fee + 1 WHERE block = 12 AND tx = 0")
	if err := p.Versions(t.Context()); !errors.Is(err, indexing.ErrAltered) || version() != 0 {
		t.Errorf("got %v and version %d, want %v and no version", err, version(), indexing.ErrAltered)
	}
	p.strike("UPDATE transactions SET fee = fee - 1 WHERE block = 12 AND tx = 0; UPDATE blocks SET base_digest = NULL WHERE block = 12")
	if err := p.Versions(t.Context()); err == nil || !strings.Contains(err.Error(), "block 12 has no digest") || version() != 0 {
		t.Errorf("got %v and version %d, want block 12 without a digest and no version", err, version())
	}
	if err := p.Blocks(t.Context(), 12, 12); err != nil {
		t.Fatal(err)
	}
	if err := p.Versions(t.Context()); err != nil || version() != facts.TransactionsVersion {
		t.Errorf("got %v and version %d, want %d", err, version(), facts.TransactionsVersion)
	}
}

// TestLaterBlocksFollowARepairedClassChange makes a block forget the class of a
// token, and the rows that were derived since then follow the mistake.
func TestLaterBlocksFollowARepairedClassChange(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	before := p.digest()
	var block uint64
	err := p.conn.QueryRow(t.Context(), `
		SELECT c.block FROM contract_classes c JOIN classes k ON k.chain = 1 AND k.id = c.class
		WHERE c.chain = 1 AND k.standard > 0 AND EXISTS (SELECT FROM transfers_1_25 t WHERE t.token = c.address) ORDER BY c.block DESC LIMIT 1`).Scan(&block)
	if err != nil {
		t.Fatal(err)
	}
	number := strconv.FormatUint(block, 10)
	p.strike("UPDATE tokens SET block = 44, standard = 3 WHERE chain = 1 AND address IN (SELECT address FROM contract_classes WHERE chain = 1 AND block = " + number + ")")
	p.strike("DELETE FROM transfers WHERE block > 25 AND token IN (SELECT address FROM contract_classes WHERE chain = 1 AND block = " + number + ")")
	p.strike("DELETE FROM contract_classes WHERE chain = 1 AND block = " + number)
	if err := p.Blocks(t.Context(), block, block); err != nil {
		t.Fatal(err)
	}
	if after := p.digest(); after != before {
		t.Errorf("after %q: got the digest %s, want %s", p.lines, after, before)
	}
}

func TestRepairStoresNoBlockThatDoesNotVerify(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	p.Verify = facts.FullyVerified
	before := p.digest()
	if err := p.sim.Fault(fault.Fault{Kind: fault.Lie, Lie: "event.data", Block: new(uint64(12))}); err != nil {
		t.Fatal(err)
	}
	if err := p.Blocks(t.Context(), 12, 12); !errors.Is(err, indexing.ErrInconsistent) {
		t.Errorf("got %v, want %v", err, indexing.ErrInconsistent)
	}
	p.sim.ClearFaults()
	if err := p.Blocks(t.Context(), 12, 12); err != nil || p.digest() != before {
		t.Errorf("got %v and digest %s, want %s", err, p.digest(), before)
	}
}

// TestRepairRefusesABlockThatIsProvenLessThanTheStoredOne leaves the commitments
// of a fully verified block out, so that the node could send any timestamp.
func TestRepairRefusesABlockThatIsProvenLessThanTheStoredOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		number uint64
		strike string
	}{
		"first":                 {0, ""},
		"after a lesser block":  {12, ""},
		"its row is gone":       {0, "DELETE FROM blocks WHERE block = 0"},
		"--verify transactions": {0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
			p.Verify = facts.FullyVerified
			if err := p.Blocks(t.Context(), c.number, c.number); err != nil {
				t.Fatal(err)
			}
			if name == "--verify transactions" {
				p.Verify = facts.TransactionsVerified
			}
			if c.strike != "" {
				p.strike(c.strike)
			}
			honest, before := p.Node, p.text("SELECT count(*) || ' ' || sum(timestamp) FROM blocks")
			p.Node = hiding{honest}
			if err := p.Blocks(t.Context(), c.number, c.number); !errors.Is(err, ErrUnproven) {
				t.Errorf("got %v, want %v", err, ErrUnproven)
			}
			if after := p.text("SELECT count(*) || ' ' || sum(timestamp) FROM blocks"); after != before {
				t.Errorf("got %s blocks and timestamps, want %s unchanged", after, before)
			}
			p.Node = honest
			if err := p.Blocks(t.Context(), c.number, c.number); err != nil {
				t.Errorf("with an honest node: got %v, want no error", err)
			}
		})
	}
}

// hiding is a node that leaves the commitments of blocks out and changes their
// time.
type hiding struct{ Node }

// Block implements Node.
func (h hiding) Block(ctx context.Context, number uint64) (*starknet.BlockWithReceipts, *starknet.StateUpdate, bool, error) {
	block, update, exists, err := h.Node.Block(ctx, number)
	if err != nil || !exists {
		return block, update, exists, err
	}
	changed := *block
	changed.TransactionCommitment, changed.EventCommitment, changed.ReceiptCommitment, changed.StateDiffCommitment = starknet.Felt{}, starknet.Felt{}, starknet.Felt{}, starknet.Felt{}
	changed.Timestamp += 7
	return &changed, update, exists, nil
}

// TestADamagedNewestBlockIsReplacedByAChildOfTheOneBefore changes the only hashes
// that could confirm the newest block. While its rows are those that were
// committed, nothing replaces it.
func TestADamagedNewestBlockIsReplacedByAChildOfTheOneBefore(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	before := p.digest()
	p.strike("UPDATE blocks_1_45 SET hash = set_byte(hash, 31, 255 - get_byte(hash, 31)) WHERE block = 60")
	p.strike("UPDATE index_checkpoints SET hash = set_byte(hash, 31, 255 - get_byte(hash, 31)) WHERE chain = 1")
	if err := p.Blocks(t.Context(), 60, 60); err != nil || p.digest() != before {
		t.Errorf("got %v and digest %s, want %s", err, p.digest(), before)
	}
	if err := p.sim.Reorg(1); err != nil {
		t.Fatal(err)
	}
	p.Node = repotest.OnceRead{Source: repotest.Client(t, p.url)}
	if err := p.Blocks(t.Context(), 60, 60); !errors.Is(err, ErrOtherChain) || p.digest() != before {
		t.Errorf("a sound block: got %v and digest %s, want %v and %s", err, p.digest(), ErrOtherChain, before)
	}
}

func TestARepairMovesTheEndOfTheVerifiedBlocks(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	ends := func() string {
		return p.text("SELECT concat_ws(' ', coalesce(transactions_block::text, 'none'), coalesce(full_block::text, 'none')) FROM index_checkpoints WHERE chain = 1")
	}
	for _, step := range []struct {
		verify   facts.Verification
		from, to uint64
		want     string
	}{
		{facts.Unverified, 0, 0, "none none"},
		{facts.FullyVerified, 0, 1, "1 1"},
		{facts.FullyVerified, 3, 3, "1 1"}, // block 2 is not verified
		{facts.FullyVerified, 2, 2, "3 3"},
		{facts.TransactionsVerified, 1, 1, "3 3"}, // a repair never verifies less than was verified before
	} {
		p.Verify = step.verify
		if err := p.Blocks(t.Context(), step.from, step.to); err != nil {
			t.Fatal(err)
		}
		if got := ends(); got != step.want {
			t.Errorf("after blocks %d to %d were verified to %s, the verified transactions and blocks end at %s, want %s", step.from, step.to, step.verify, got, step.want)
		}
	}
}

func TestAWatermarkAboveThatOfTheNodeIsMovedBack(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Followed, sim.Config{Blocks: 60})
	watermark := func() string {
		return p.text("SELECT l1_block_number || ' 0x' || encode(l1_block_hash, 'hex') FROM chain_heads WHERE chain = 'SN_MAIN'")
	}
	before := watermark()
	if err := p.Checkpoint(t.Context()); err != nil || watermark() != before {
		t.Fatalf("got %v and %s, want the watermark %s unchanged", err, watermark(), before)
	}
	p.strike("UPDATE chain_heads h SET l1_block_number = b.block, l1_block_hash = b.hash FROM blocks b WHERE b.block = 55")
	if err := p.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	accepted := p.sim.L1Head()
	hash := repotest.Everyday(t)[accepted].Header.Hash
	if want := fmt.Sprintf("%d 0x%x", accepted, hash[:]); watermark() != want {
		t.Errorf("got the watermark %s, want that of the node, %s", watermark(), want)
	}
}

func TestNothingIsRepairedWhileAnIndexerLeads(t *testing.T) {
	t.Parallel()
	p := admit(t, repotest.Indexed, sim.Config{Blocks: 60})
	if _, leads, err := index.NewLeases(p.db).TakeLease(t.Context(), domain.Mainnet, "indexer", time.Minute); err != nil || !leads {
		t.Fatalf("got the lease %t, %v, want it", leads, err)
	}
	for name, act := range map[string]func() error{
		"block":      func() error { return p.Blocks(t.Context(), 12, 12) },
		"class":      func() error { return p.Class(t.Context(), starknet.Felt{}) },
		"entry":      func() error { return p.Entry(t.Context(), "addresses", 5) },
		"checkpoint": func() error { return p.Checkpoint(t.Context()) },
		"results":    func() error { return p.Discard(t.Context(), indexing.Sums) },
	} {
		if err := act(); !errors.Is(err, indexing.ErrLed) {
			t.Errorf("%s: got %v, want %v", name, err, indexing.ErrLed)
		}
	}
}
