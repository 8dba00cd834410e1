package rest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/explorer"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/domain/transaction"
	"astrolabe/repo/repositories"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// interrupted are stores with something happening between two reads of a
// request.
type interrupted struct {
	chain.TransactionStore
	transaction.Store
	token.TransferStore
	before func()
}

func (s *interrupted) TransactionsOfBlocks(ctx context.Context, c domain.Chain, blocks []domain.BlockRef, after, limit int) ([][]chain.TxLine, []bool, error) {
	s.before()
	return s.TransactionStore.TransactionsOfBlocks(ctx, c, blocks, after, limit)
}

func (s *interrupted) PartsOf(ctx context.Context, c domain.Chain, tx *chain.TxFacts, asked chain.CallLookups, logLimit int) (transaction.Parts, error) {
	s.before()
	return s.Store.PartsOf(ctx, c, tx, asked, logLimit)
}

func (s *interrupted) TransfersOfTransactions(ctx context.Context, c domain.Chain, places []chain.TxPlace, after token.WithinTx, limit int) ([][]token.Transfer, error) {
	s.before()
	return s.TransferStore.TransfersOfTransactions(ctx, c, places, after, limit)
}

// newInterrupted indexes 50 blocks. Up to so many times the newest one is
// replaced by an empty one while a request reads.
func newInterrupted(t *testing.T, times int) *growing {
	t.Helper()
	db := repotest.Open(t)
	stores := repositories.Explorer(db)
	store := &interrupted{stores.Transactions, stores.TransactionParts, stores.Transfers, func() {}}
	stores.Transactions, stores.TransactionParts, stores.Transfers = store, store, store
	w := grow(t, db, newServiceOver(t, db, time.Now, func(o *Options) {
		o.Services = explorer.New(explorer.Options{Stores: stores, Cursors: domain.NewCursors(fixedKey{})})
	}), 50)
	store.before = func() {
		if times > 0 {
			times--
			w.replace(49, func(b *facts.Block) {
				*b = facts.Block{Header: b.Header}
				b.Header.Transactions, b.Header.Events = 0, 0
			})
		}
	}
	return w
}

func TestTransactionDoesNotMixTwoForks(t *testing.T) {
	t.Parallel()
	world := newInterrupted(t, 1)
	hash := world.blocks[49].Transactions[0].Hash
	requireFailure(t, world.get("/v1/SN_MAIN/tx/"+hash.String()), http.StatusNotFound, domain.CodeNotFound)
}

func TestPreviewsDoNotMixTwoForks(t *testing.T) {
	t.Parallel()
	world := newInterrupted(t, 1)
	asked := []starknet.Felt{world.blocks[49].Transactions[0].Hash, world.blocks[48].Transactions[0].Hash}
	got := decodeBody[batchBody[previewItem]](t, world.postJSON("/v1/SN_MAIN/tx/previews", hashesBody(asked)))
	if got.Items[0].Found || !got.Items[1].Found || len(got.Items[1].TokenTransfers) == 0 {
		t.Errorf("got %s, want only the second found, with transfers", encodeText(got))
	}
}

func TestBlockDoesNotMixTwoForks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"49", "latest"} {
		got := decodeBody[blockBody](t, newInterrupted(t, 1).get("/v1/SN_MAIN/block/"+name))
		if got.TxCount != len(got.Transactions) || got.BlockHash == repotest.Everyday(t)[49].Header.Hash {
			t.Errorf("%s: got block %s with %d transactions and %d listed, want the block after the reorg with all of them", name, got.BlockHash, got.TxCount, len(got.Transactions))
		}
	}
}

// TestContinuousReorgsMakeTheReadUnavailable never lets a request
// finish.
func TestContinuousReorgsMakeTheReadUnavailable(t *testing.T) {
	t.Parallel()
	world := newInterrupted(t, 100)
	for _, path := range []string{"/v1/SN_MAIN/block/49", "/v1/SN_MAIN/block/latest/txs"} {
		a := world.get(path)
		requireFailure(t, a, http.StatusServiceUnavailable, domain.CodeServiceUnavailable)
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got no Retry-After, want one", path)
		}
	}
}
