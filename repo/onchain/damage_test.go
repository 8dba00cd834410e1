package onchain_test

import (
	"context"
	"errors"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// damaged opens an index in which a statement has changed a row.
func damaged(t *testing.T, statement string) *repo.DB {
	t.Helper()
	url := pgtest.Database(t, repotest.Followed)
	connect(t, url, statement)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// TestAMalformedValueIsTheDamageOfItsTableAndBlock plants invalid values among
// valid rows.
func TestAMalformedValueIsTheDamageOfItsTableAndBlock(t *testing.T) {
	t.Parallel()
	blocks := repotest.Everyday(t)
	tx := []starknet.Felt{blocks[29].Transactions[0].Hash, blocks[30].Transactions[0].Hash}
	headers := func(ctx context.Context, db *repo.DB) error {
		_, err := onchain.NewBlocks(db).Headers(ctx, domain.Mainnet, []chain.BlockID{chain.NumberID(29), chain.NumberID(30)})
		return err
	}
	list := func(ctx context.Context, db *repo.DB) error {
		_, err := onchain.NewBlocks(db).HeadersBetween(ctx, domain.Mainnet, chain.BlockRange{From: 28, To: 30}, true, 10)
		return err
	}
	transactions := func(ctx context.Context, db *repo.DB) error {
		_, err := onchain.NewTransactions(db).TransactionsByHash(ctx, domain.Mainnet, tx)
		return err
	}
	lines := func(ctx context.Context, db *repo.DB) error {
		_, _, err := onchain.NewTransactions(db).TransactionsOfBlocks(ctx, domain.Mainnet, []domain.BlockRef{
			{Number: 29, Hash: blocks[29].Header.Hash}, {Number: 30, Hash: blocks[30].Header.Hash},
		}, -1, 10)
		return err
	}
	outlines := func(ctx context.Context, db *repo.DB) error {
		_, err := onchain.NewTransactions(db).Outlines(ctx, domain.Mainnet, tx)
		return err
	}
	messages := func(ctx context.Context, db *repo.DB) error {
		_, err := onchain.NewMessages(db).Messages(ctx, domain.Mainnet, chain.MessageFilter{}, domain.PageRequest{Limit: 100})
		return err
	}
	for _, c := range []struct {
		table   facts.Table
		planted string
		read    func(context.Context, *repo.DB) error
		block   *uint64
	}{
		{facts.TableBlocks, `prices = prices || prices`, headers, new(uint64(30))},
		{facts.TableBlocks, `prices = '\x01'`, headers, new(uint64(30))},
		{facts.TableBlocks, `l1_da_mode = 9`, list, new(uint64(30))},
		{facts.TableBlocks, `parent_hash = '\x01'`, list, new(uint64(30))},
		{facts.TableTransactions, `type = 9`, transactions, new(uint64(30))},
		{facts.TableTransactions, `fee = -1`, transactions, new(uint64(30))},
		{facts.TableTransactions, `fee = 2::numeric ^ 255`, transactions, new(uint64(30))},
		{facts.TableTransactions, `calldata = '\x01'`, transactions, new(uint64(30))},
		{facts.TableTransactions, `type = 9`, lines, new(uint64(30))},
		{facts.TableTransactions, `calldata = '\x01'`, outlines, nil},
		{facts.TableMessages, `payload = '\x01'`, messages, new(uint64(30))},
		{facts.TableMessages, `contract = 1000000`, messages, new(uint64(30))},
	} {
		t.Run(c.planted, func(t *testing.T) {
			t.Parallel()
			db := damaged(t, "UPDATE "+string(c.table)+" SET "+c.planted+" WHERE chain = 1 AND block = 30")
			got, ok := errors.AsType[*indexing.DamageError](c.read(t.Context(), db))
			if !ok || got.Table != c.table || (got.Block == nil) != (c.block == nil) || c.block != nil && *got.Block != *c.block {
				t.Errorf("got %v, want damage in the table %s", got, c.table)
			}
		})
	}
}

// TestWhatDecodesEventsMayBeDamaged damages the class of a contract that only
// emitted events: the transaction is returned, with its events undecoded. A
// damaged class of a called contract fails the read, because its calls would be
// decoded wrongly.
func TestWhatDecodesEventsMayBeDamaged(t *testing.T) {
	t.Parallel()
	tx := repotest.Everyday(t)[28].Transactions[15]
	at := &chain.TxFacts{Transaction: tx, Block: domain.BlockRef{Number: 28}}
	asked := chain.PrepareCalls([]*chain.TxFacts{at}).Lookups
	whole, err := onchain.NewDetails(repotest.OpenTemplate(t, repotest.Followed)).PartsOf(t.Context(), domain.Mainnet, at, asked, 96)
	if err != nil || whole.Attribution.Damage != nil || len(whole.Events) == 0 || len(asked.Contracts) == 0 {
		t.Fatalf("got %d events, %d calls, damage %v and %v, want some without damage", len(whole.Events), len(asked.Contracts), whole.Attribution.Damage, err)
	}
	db := damaged(t, "UPDATE contract_classes SET class = 1000000 WHERE chain = 1")
	parts, err := onchain.NewDetails(db).PartsOf(t.Context(), domain.Mainnet, at, chain.CallLookups{}, 96)
	if err != nil || len(parts.Events) != len(whole.Events) || !errors.Is(parts.Attribution.Damage, indexing.ErrDamaged) {
		t.Errorf("got %d events, damage %v and %v, want %d events and %v", len(parts.Events), parts.Attribution.Damage, err, len(whole.Events), indexing.ErrDamaged)
	}
	if _, err := onchain.NewDetails(db).PartsOf(t.Context(), domain.Mainnet, at, asked, 96); !errors.Is(err, indexing.ErrDamaged) {
		t.Errorf("calls of a damaged class: got %v, want %v", err, indexing.ErrDamaged)
	}
}

// TestATransactionWithoutAnEnvelopeIsNeverShownWithAnEmptyOne reads a row as a
// release from before envelopes wrote it.
func TestATransactionWithoutAnEnvelopeIsNeverShownWithAnEmptyOne(t *testing.T) {
	t.Parallel()
	hash := repotest.Everyday(t)[30].Transactions[0].Hash
	db := damaged(t, "UPDATE transactions SET envelope = NULL WHERE block = 30")
	found, err := onchain.NewTransactions(db).TransactionsByHash(t.Context(), domain.Mainnet, []starknet.Felt{hash})
	if domain.CodeOf(err) != domain.CodeServiceUnavailable {
		t.Errorf("%v, %v; want %s", found, err, domain.CodeServiceUnavailable)
	}
}
