package tokens_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// books computes balances from transfers independently of the repository.
type books struct {
	balances map[starknet.Felt]*big.Int
	updated  map[starknet.Felt]uint64
}

func newBooks() books {
	return books{map[starknet.Felt]*big.Int{}, map[starknet.Felt]uint64{}}
}

func (b books) add(block uint64, t facts.Transfer) {
	for party, sign := range map[starknet.Felt]int64{t.From: -1, t.To: 1} {
		b.move(party, block, new(big.Int).Mul(t.Amount.Big(), big.NewInt(sign)))
	}
	if t.From == t.To { // the assignments above kept only one of the two
		b.balances[t.To].Sub(b.balances[t.To], t.Amount.Big())
	}
}

func (b books) move(party starknet.Felt, block uint64, change *big.Int) {
	if b.balances[party] == nil {
		b.balances[party] = new(big.Int)
	}
	b.balances[party].Add(b.balances[party], change)
	b.updated[party] = block
}

// holders returns the expected rows of a census, their total, and whether a
// balance is negative.
func (b books) holders() (rows []string, total *big.Int, debt bool) {
	var list []starknet.Felt
	total = new(big.Int)
	for party, balance := range b.balances {
		if !party.IsZero() && balance.Sign() != 0 {
			list, total, debt = append(list, party), total.Add(total, balance), debt || balance.Sign() < 0
		}
	}
	slices.SortFunc(list, func(a, c starknet.Felt) int { return cmp.Or(b.balances[c].Cmp(b.balances[a]), a.Cmp(c)) })
	for i, party := range list {
		rows = append(rows, fmt.Sprintf("%d,%s,%s at %d", i+1, party, b.balances[party], b.updated[party]))
	}
	return rows, total, debt
}

// digest returns the digest of rows in the format of holders.
func digest(rows []string) [32]byte {
	var text strings.Builder
	for _, row := range rows {
		line, _, _ := strings.Cut(row, " at ")
		text.WriteString(line + "\n")
	}
	return sha256.Sum256([]byte(text.String()))
}

// fatal is the common interface of a test and of a property test.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// bureau builds censuses in a database.
type bureau struct {
	*testing.T
	db     *repo.DB
	census tokens.Census
	work   tokens.CensusBuilder
	conn   *pgx.Conn
	index  *repotest.Index
	within indexing.Range
	next   uint64
	now    time.Time
}

func newBureau(t *testing.T) *bureau {
	t.Helper()
	url := pgtest.Database(t, repotest.Migrated)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	b := &bureau{
		T: t, db: db, census: tokens.NewCensus(db), work: tokens.NewCensusBuilder(db), conn: conn,
		index: repotest.NewIndex(t.Context(), db, 0, 20), now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC),
	}
	b.within = b.index.Open(0, 1_000_000, indexing.RangeReady)
	return b
}

func (b *bureau) do(sql string, arguments ...any) {
	b.Helper()
	if _, err := b.conn.Exec(b.Context(), sql, arguments...); err != nil {
		b.Fatal(err)
	}
}

func (b *bureau) count(sql string) (n int) {
	b.Helper()
	if err := b.conn.QueryRow(b.Context(), sql).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// commit adds a block with transfers.
func (b *bureau) commit(t fatal, transfers ...facts.Transfer) facts.Header {
	t.Helper()
	block := facts.Block{Header: facts.Header{Number: b.next, Hash: starknet.FeltFromUint64(1000 + b.next)}, Transfers: transfers}
	for i := range transfers {
		transfers[i].LogIndex = i
		transfers[i].Standard = facts.ERC20
		block.Tokens = append(block.Tokens, facts.Token{Address: transfers[i].Token, Standard: facts.ERC20})
	}
	b.next++
	b.index.Commit(b.within, []facts.Block{block})
	if err := b.index.Err(); err != nil {
		t.Fatal(err)
	}
	return block.Header
}

// build builds a census.
func (b *bureau) build(t fatal, contract starknet.Felt, at facts.Header, supply *big.Int, base *token.Generation) token.CensusDraft {
	t.Helper()
	order := token.CensusOrder{Token: contract, Block: domain.BlockRef{Number: at.Number, Hash: at.Hash}, Base: base}
	if supply != nil {
		order.Supply = new(domain.AmountFromBig(supply))
	}
	draft, err := b.work.BuildCensus(b.Context(), domain.Mainnet, order)
	if err != nil {
		t.Fatal(err)
	}
	draft.CheckedAt, draft.ExpiresAt = b.now, b.now.Add(6*time.Hour)
	return draft
}

// publish publishes a draft.
func (b *bureau) publish(t fatal, draft token.CensusDraft) *token.Generation {
	t.Helper()
	id, err := b.work.PublishCensus(b.Context(), domain.Mainnet, draft)
	if err != nil {
		t.Fatal(err)
	}
	found, err := b.census.Generations(b.Context(), domain.Mainnet, []int64{id})
	if err != nil || found[0] == nil {
		t.Fatalf("got %v and %v, want one", found, err)
	}
	return found[0]
}

// rows reads all rows of a snapshot.
func (b *bureau) rows(t fatal, snapshot *token.Snapshot) (rows []string) {
	t.Helper()
	for after := int64(0); ; {
		page, err := b.census.Holders(b.Context(), domain.Mainnet, []token.HolderPlace{{Snapshot: snapshot.ID, After: after}}, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range page[0] {
			rows = append(rows, fmt.Sprintf("%d,%s,%s at %d", h.Rank, h.Address, h.Balance, h.Updated))
			after = h.Rank
		}
		if len(page[0]) == 0 {
			return rows
		}
	}
}

// standing returns the state of a token's census.
func (b *bureau) standing(t fatal, contract starknet.Felt, now time.Time) token.CensusState {
	t.Helper()
	found, err := b.census.CensusStates(b.Context(), domain.Mainnet, []starknet.Felt{starknet.FeltFromUint64(404), contract}, now)
	if err != nil || found[0].Known {
		t.Fatalf("got %v and %v, want an unknown one", found, err)
	}
	return found[1]
}

func amount(n uint64) *starknet.Uint256 {
	whole, _ := starknet.Uint256FromHalves(starknet.FeltFromUint64(n), starknet.Felt{})
	return &whole
}

func move(contract starknet.Felt, from, to, n uint64) facts.Transfer {
	return facts.Transfer{Token: contract, From: starknet.FeltFromUint64(from), To: starknet.FeltFromUint64(to), Amount: amount(n)}
}

// TestEveryTokenOfTheEverydayChainIsCountedAsByHand builds the census of every
// ERC-20 at several blocks, each from the one before, and compares it with the
// sums of its transfers.
func TestEveryTokenOfTheEverydayChainIsCountedAsByHand(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	blocks := repotest.Everyday(t)
	b.index.Commit(b.within, blocks)
	if err := b.index.Err(); err != nil {
		t.Fatal(err)
	}
	all := map[starknet.Felt]books{}
	bases := map[starknet.Felt]*token.Generation{}
	certified, failed := 0, 0
	for _, block := range blocks {
		for _, transfer := range block.Transfers {
			if transfer.Standard != facts.ERC20 {
				continue
			}
			if all[transfer.Token].balances == nil {
				all[transfer.Token] = newBooks()
			}
			all[transfer.Token].add(block.Header.Number, transfer)
		}
		if n := block.Header.Number; n%15 != 0 {
			continue
		}
		for contract, counted := range all {
			want, total, debt := counted.holders()
			draft := b.build(t, contract, block.Header, total, bases[contract])
			if debt {
				if failed++; draft.Status != token.CensusAuditFailed || draft.Snapshot != nil {
					t.Errorf("%s at %d: got %s, want %s because of a negative balance", contract, block.Header.Number, draft.Status, token.CensusAuditFailed)
				}
				continue
			}
			certified++
			g := b.publish(t, draft)
			if got := b.rows(t, g.Snapshot); !slices.Equal(got, want) || g.Snapshot.Digest != digest(want) ||
				g.Snapshot.Holders != int64(len(want)) || g.Snapshot.Total.Big().Cmp(total) != 0 {
				t.Errorf("%s at %d: %v\nwant %v", contract, block.Header.Number, got, want)
			}
			bases[contract] = g
		}
	}
	if certified < 20 || failed == 0 {
		t.Errorf("got %d certified and %d failed, want at least 20 and 1", certified, failed)
	}
}

// TestACensusFromTheOneBeforeEqualsOneFromTheBeginning generates histories of a
// token: mints, burns, transfers to oneself, of zero, and of more than the
// balance.
func TestACensusFromTheOneBeforeEqualsOneFromTheBeginning(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	rapid.Check(t, func(r *rapid.T) {
		contract := starknet.FeltFromUint64(1<<20 + b.next)
		counted := newBooks()
		var base *token.Generation
		for range rapid.IntRange(1, 4).Draw(r, "censuses") {
			at := b.commit(r, drawTransfers(r, contract, counted, b.next)...)
			want, total, debt := counted.holders()
			if rapid.IntRange(0, 9).Draw(r, "lie") == 0 {
				total = new(big.Int).Add(total, big.NewInt(1))
				debt = true
			}
			later, scratch := b.build(r, contract, at, total, base), b.build(r, contract, at, total, nil)
			if later.Status != scratch.Status || later.Reason != scratch.Reason || (later.Status == token.CensusCertified) == debt {
				r.Fatalf("got %s %s, want %s %s, certified only without debt (%v)", later.Status, later.Reason, scratch.Status, scratch.Reason, debt)
			}
			if debt {
				continue
			}
			one, other := *later.Snapshot, *scratch.Snapshot
			if rows := b.rows(r, &one); !slices.Equal(rows, b.rows(r, &other)) || !slices.Equal(rows, want) {
				r.Fatalf("%v\nand %v\nwant %v", rows, b.rows(r, &other), want)
			}
			one.ID, other.ID = 0, 0
			if a, c := inJSON(r, one), inJSON(r, other); a != c {
				r.Fatalf("got %s\nwant %s", a, c)
			}
			base = b.publish(r, later)
		}
	})
}

// drawTransfers generates the transfers of a block and records them. Sometimes
// there is only the one transfer that makes the contract a token.
func drawTransfers(r *rapid.T, contract starknet.Felt, counted books, block uint64) []facts.Transfer {
	list := []facts.Transfer{move(contract, 0, 1, 0)}
	counted.add(block, list[0])
	for range rapid.IntRange(0, 8).Draw(r, "transfers") {
		party := rapid.Uint64Range(0, 6)
		from, to := party.Draw(r, "from"), party.Draw(r, "to")
		most := uint64(1000)
		if have := counted.balances[starknet.FeltFromUint64(from)]; from != 0 && rapid.IntRange(0, 60).Draw(r, "overdraw") != 0 {
			most = 0
			if have != nil && have.Sign() > 0 {
				most = have.Uint64()
			}
		}
		n := rapid.Uint64Range(0, most).Draw(r, "amount")
		if rapid.IntRange(0, 4).Draw(r, "all") == 0 {
			n = most
		}
		transfer := move(contract, from, to, n)
		counted.add(block, transfer)
		list = append(list, transfer)
	}
	return list
}

func TestACensusOfATokenThatDidNotMoveSharesItsRows(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract, other := starknet.FeltFromUint64(77), starknet.FeltFromUint64(78)
	first := b.publish(t, b.build(t, contract, b.commit(t, move(contract, 0, 5, 10)), big.NewInt(10), nil))
	second := b.publish(t, b.build(t, contract, b.commit(t, move(other, 0, 5, 3)), big.NewInt(10), first))
	if second.ID == first.ID || second.Snapshot.ID != first.Snapshot.ID || second.Block.Number != first.Block.Number+1 {
		t.Errorf("got %+v after %+v, want the same snapshot one block later", second, first)
	}
	// The supply changed without a transfer, so it no longer matches.
	third := b.build(t, contract, b.commit(t), big.NewInt(11), second)
	if third.Status != token.CensusAuditFailed || third.Reason != token.ReasonSupplyMismatch || third.Snapshot != nil {
		t.Errorf("got %+v, want %s", third, token.ReasonSupplyMismatch)
	}
}

func TestASupplyThatCannotBeReadLeavesTheCensusUnavailable(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	g := b.publish(t, b.build(t, contract, b.commit(t, move(contract, 0, 5, 10)), nil, nil))
	if g.Status != token.CensusUnavailable || g.Reason != token.ReasonSupplyUnreadable || g.Snapshot != nil {
		t.Errorf("got %+v, want %s", g, token.ReasonSupplyUnreadable)
	}
}

func TestAFailedAuditLeavesTheCertifiedGenerationUntilItExpires(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	at := b.commit(t, move(contract, 0, 5, 10))
	good := b.publish(t, b.build(t, contract, at, big.NewInt(10), nil))
	bad := b.publish(t, b.build(t, contract, at, big.NewInt(11), nil))
	if n := b.count("SELECT count(*) FROM census_holders"); n != 1 {
		t.Errorf("got %d rows, want 1", n)
	}
	if got := b.standing(t, contract, b.now).Generation; got.ID != good.ID {
		t.Errorf("before the expiry: got %+v, want generation %v", got, good.ID)
	}
	if got := b.standing(t, contract, good.ExpiresAt).Generation; got.ID != bad.ID || got.Reason != token.ReasonSupplyMismatch {
		t.Errorf("after the expiry: got %+v, want generation %v", got, bad.ID)
	}
}

// TestAnUndoRevokesTheCensusesAboveIt also checks that a census that is being
// built is not published, even if the same blocks return.
func TestAnUndoRevokesTheCensusesAboveIt(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	below := b.commit(t, move(contract, 0, 5, 10))
	low := b.publish(t, b.build(t, contract, below, big.NewInt(10), nil))
	at := b.commit(t, move(contract, 5, 6, 4))
	high := b.publish(t, b.build(t, contract, at, big.NewInt(10), low))
	under := b.build(t, contract, at, big.NewInt(10), nil)
	must(t, b.work.StoreCensusPolicy(t.Context(), domain.Mainnet, contract, token.CensusPolicy{Qualified: true, Block: at.Number}))
	must(t, b.work.PutOffCensus(t.Context(), domain.Mainnet, contract, b.now.Add(time.Hour)))
	b.index.Undo(&below)
	b.next = at.Number
	b.commit(t, move(contract, 5, 6, 4))
	if _, err := b.work.PublishCensus(t.Context(), domain.Mainnet, under); !errors.Is(err, token.ErrCensusStale) {
		t.Errorf("census from before the undo: got %v, want %v", err, token.ErrCensusStale)
	}
	found, err := b.census.Generations(t.Context(), domain.Mainnet, []int64{high.ID, low.ID, 12345})
	if err != nil {
		t.Fatal(err)
	}
	if found[0].Status != token.CensusRevoked || found[0].Reason != token.ReasonRolledBack || found[0].Snapshot != nil || found[1].Status != token.CensusCertified || found[2] != nil {
		t.Errorf("got %+v and %+v, want the first revoked by the rollback and the second certified", found[0], found[1])
	}
	standing := b.standing(t, contract, b.now)
	if standing.Generation.ID != low.ID || standing.Policy != nil {
		t.Errorf("got %+v, want generation %v without a policy", standing, low.ID)
	}
	if due, err := b.work.ClaimCensuses(t.Context(), domain.Mainnet, at.Number, b.now, b.now, 5); err != nil || len(due) != 1 {
		t.Errorf("got %v and %v, want one token due", due, err)
	}
	// A census based on a revoked generation starts from the beginning.
	again := b.build(t, contract, at, big.NewInt(10), high)
	if again.Status != token.CensusCertified || again.Snapshot.ID == high.Snapshot.ID {
		t.Errorf("got %+v, want a certified generation with a new snapshot", again)
	}
}

func TestAnUndoOfTheHeadLeavesCensusesAlone(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	at := b.commit(t, move(contract, 0, 5, 10))
	g := b.publish(t, b.build(t, contract, at, big.NewInt(10), nil))
	must(t, b.work.StoreCensusPolicy(t.Context(), domain.Mainnet, contract, token.CensusPolicy{Qualified: true, Block: at.Number}))
	b.commit(t)
	b.index.Undo(&at)
	if standing := b.standing(t, contract, b.now); b.index.Err() != nil || standing.Generation.ID != g.ID || !standing.Generation.Live(b.now) || standing.Policy == nil {
		t.Errorf("got %+v, want the live generation %v", standing, g.ID)
	}
}

func TestTransfersThatAreMadeAgainRevokeTheCensuses(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	at := b.commit(t, move(contract, 0, 5, 10))
	g := b.publish(t, b.build(t, contract, at, big.NewInt(10), nil))
	lease, _, err := index.NewLeases(b.db).TakeLease(t.Context(), domain.Mainnet, "test", time.Hour)
	must(t, err)
	block := facts.Block{Header: at, Transfers: []facts.Transfer{{Standard: facts.ERC20, Token: contract, From: starknet.Felt{}, To: starknet.FeltFromUint64(6), Amount: amount(10)}}}
	must(t, index.NewWriter(b.db).Rewrite(t.Context(), lease, indexing.Run{Range: b.within, Blocks: []facts.Block{block}}, facts.TableTransfers))
	found, err := b.census.Generations(t.Context(), domain.Mainnet, []int64{g.ID})
	if err != nil || found[0].Status != token.CensusRevoked || found[0].Reason != token.ReasonRederived {
		t.Errorf("got %+v and %v, want it revoked by the rederivation", found[0], err)
	}
}

func TestACensusOfABlockThatTheIndexDoesNotHoldIsNotMade(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	at := b.commit(t, move(contract, 0, 5, 10))
	for name, order := range map[string]token.CensusOrder{
		"another hash": {Token: contract, Block: domain.BlockRef{Number: at.Number, Hash: starknet.FeltFromUint64(1)}},
		"a later one":  {Token: contract, Block: domain.BlockRef{Number: at.Number + 1, Hash: at.Hash}},
		"no token":     {Token: starknet.FeltFromUint64(5), Block: domain.BlockRef{Number: at.Number, Hash: at.Hash}},
	} {
		if draft, err := b.work.BuildCensus(t.Context(), domain.Mainnet, order); !errors.Is(err, token.ErrCensusStale) {
			t.Errorf("%s: got %+v and %v, want %v", name, draft, err, token.ErrCensusStale)
		}
	}
}

func TestTwoProcessesDoNotMakeTheSameCensus(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	at := b.commit(t, move(contract, 0, 5, 10))
	b.do("BEGIN")
	b.do("SELECT pg_advisory_xact_lock($1::integer, id) FROM addresses WHERE chain = 1 AND felt = $2", tokens.CensusLock+1, contract[:])
	order := token.CensusOrder{Token: contract, Block: domain.BlockRef{Number: at.Number, Hash: at.Hash}}
	if _, err := b.work.BuildCensus(t.Context(), domain.Mainnet, order); !errors.Is(err, token.ErrCensusTaken) {
		t.Errorf("got %v, want %v", err, token.ErrCensusTaken)
	}
	b.do("ROLLBACK")
	if _, err := b.work.BuildCensus(t.Context(), domain.Mainnet, order); err != nil {
		t.Error(err)
	}
}

func TestAnOperatorsHoldLastsUntilHeTakesItBack(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	at := b.commit(t, move(contract, 0, 5, 10))
	if n, err := b.work.HoldCensus(t.Context(), domain.Mainnet, contract, "none yet"); err != nil || n != 0 {
		t.Errorf("got %d revoked and %v, want none", n, err)
	}
	b.now = time.Now().UTC()
	g := b.publish(t, b.build(t, contract, at, big.NewInt(10), nil))
	under := b.build(t, contract, at, big.NewInt(10), nil)
	if n, err := b.work.HoldCensus(t.Context(), domain.Mainnet, contract, "a reason"); err != nil || n != 1 {
		t.Errorf("got %d revoked and %v, want 1", n, err)
	}
	standing := b.standing(t, contract, b.now)
	if !standing.Held || standing.Generation.ID != g.ID || standing.Generation.Status != token.CensusRevoked || standing.Generation.Reason != token.ReasonOperator {
		t.Errorf("got %+v, want generation %v revoked by the operator", standing, g.ID)
	}
	if _, err := b.work.PublishCensus(t.Context(), domain.Mainnet, under); !errors.Is(err, token.ErrCensusStale) {
		t.Errorf("census from before the hold: got %v, want %v", err, token.ErrCensusStale)
	}
	order := token.CensusOrder{Token: contract, Block: domain.BlockRef{Number: at.Number, Hash: at.Hash}}
	if _, err := b.work.BuildCensus(t.Context(), domain.Mainnet, order); !errors.Is(err, token.ErrCensusStale) {
		t.Errorf("census under a hold: got %v, want %v", err, token.ErrCensusStale)
	}
	must(t, b.work.PutOffCensus(t.Context(), domain.Mainnet, contract, b.now.Add(time.Hour)))
	for _, want := range []bool{true, false} {
		if released, err := b.work.ReleaseCensus(t.Context(), domain.Mainnet, contract); err != nil || released != want {
			t.Errorf("got released %v and %v, want %v", released, err, want)
		}
	}
	if due, err := b.work.ClaimCensuses(t.Context(), domain.Mainnet, at.Number, b.now, b.now, 5); err != nil || len(due) != 1 || b.standing(t, contract, b.now).Held {
		t.Errorf("got %v due and %v, want one token without a hold", due, err)
	}
}

func TestOldCensusesAreForgottenWithTheirRows(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	contract := starknet.FeltFromUint64(77)
	one := b.publish(t, b.build(t, contract, b.commit(t, move(contract, 0, 5, 10)), big.NewInt(10), nil))
	at := b.commit(t, move(contract, 5, 6, 4))
	two := b.publish(t, b.build(t, contract, at, big.NewInt(10), one))
	b.now = b.now.Add(time.Hour)
	three := b.publish(t, b.build(t, contract, b.commit(t), big.NewInt(10), two)) // with the rows of two
	b.build(t, contract, at, big.NewInt(10), nil)                                 // never published
	after := one.ExpiresAt.Add(time.Minute)
	if n, err := b.work.ForgetGenerations(t.Context(), one.ExpiresAt, 10); err != nil || n != 0 {
		t.Errorf("at the expiry: got %d deleted and %v, want none", n, err)
	}
	if n, err := b.work.ForgetGenerations(t.Context(), after, 10); err != nil || n != 2 {
		t.Errorf("got %d deleted and %v, want 2", n, err)
	}
	if n, err := b.work.ForgetGenerations(t.Context(), after.Add(100*time.Hour), 10); err != nil || n != 0 {
		t.Errorf("newest generation: got %d deleted and %v, want none", n, err)
	}
	if forgotten, err := b.work.ForgetSnapshot(t.Context(), time.Now().Add(-time.Hour)); err != nil || forgotten {
		t.Errorf("new snapshot: got deleted %v and %v, want it kept", forgotten, err)
	}
	for _, want := range []bool{true, true, false} {
		if forgotten, err := b.work.ForgetSnapshot(t.Context(), time.Now().Add(time.Hour)); err != nil || forgotten != want {
			t.Errorf("got deleted %v and %v, want %v", forgotten, err, want)
		}
	}
	if rows := b.rows(t, three.Snapshot); len(rows) != 2 || b.count("SELECT count(*) FROM census_holders") != 2 {
		t.Errorf("got the rows %v, want 2", rows)
	}
}

func inJSON(t fatal, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
