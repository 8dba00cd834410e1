package rest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/jobs/rederive"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
)

// remembering is a service over the followed chain, and a connection to its
// database beside it.
type remembering struct {
	*service
	conn *pgx.Conn
	db   *repo.DB
}

func newRemembering(t *testing.T) *remembering {
	t.Helper()
	url := pgtest.Database(t, repotest.Followed)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return &remembering{newServiceOver(t, db, time.Now, nil), conn, db}
}

// listen lets the service hear of new epochs until the test ends.
func (r *remembering) listen() {
	r.t.Helper()
	ctx, stop := context.WithCancel(r.t.Context())
	up, ended := make(chan struct{}, 10), make(chan struct{})
	go func() {
		defer close(ended)
		onchain.ListenEpochs(ctx, r.db, r.services.Cache.Advance, func(listening bool) {
			r.services.Cache.Listening(listening)
			up <- struct{}{}
		})
	}()
	r.t.Cleanup(func() { stop(); <-ended })
	<-up
}

// spoil changes rows behind the service's back.
func (r *remembering) spoil() {
	r.t.Helper()
	if _, err := r.conn.Exec(r.t.Context(), "UPDATE transactions SET l2_gas = 77 WHERE chain = 1; UPDATE blocks SET version = 'spoilt' WHERE chain = 1"); err != nil {
		r.t.Fatal(err)
	}
}

// spoilt tells which answers of a block show what spoil wrote.
func (r *remembering) spoilt(number int) (transaction, byHash, byNumber bool) {
	r.t.Helper()
	b := repotest.Everyday(r.t)[number]
	tx := decodeBody[transactionBody](r.t, r.get("/v1/SN_MAIN/tx/"+b.Transactions[0].Hash.String()))
	hashed := decodeBody[blockBody](r.t, r.get("/v1/SN_MAIN/block/"+b.Header.Hash.String()))
	numbered := decodeBody[blockBody](r.t, r.get(fmt.Sprintf("/v1/SN_MAIN/block/%d", number)))
	return *tx.Receipt.L2Gas == 77, *hashed.StarknetVersion == "spoilt", *numbered.StarknetVersion == "spoilt"
}

func (r *remembering) requireSpoilt(number int, want bool) {
	r.t.Helper()
	if transaction, byHash, byNumber := r.spoilt(number); transaction != want || byHash != want || byNumber != want {
		r.t.Errorf("block %d: got the stored rows %v for the transaction, %v by hash and %v by number, want %v", number, transaction, byHash, byNumber, want)
	}
}

func TestOnlyFinalizedFactsAreCached(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.listen()
	for _, number := range []int{45, 46} {
		r.requireSpoilt(number, false)
	}
	r.spoil()
	r.requireSpoilt(45, false)
	r.requireSpoilt(46, true)
}

func TestCacheIsBypassedWithoutItsListener(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.requireSpoilt(10, false)
	r.spoil()
	r.requireSpoilt(10, true)
}

func TestRederivedFactsAreReadAgain(t *testing.T) {
	t.Parallel()
	r := newRemembering(t)
	r.listen()
	r.requireSpoilt(10, false)
	r.spoil()
	r.requireSpoilt(10, false)
	if _, err := r.conn.Exec(t.Context(), "UPDATE blocks SET base_digest = NULL WHERE chain = 1"); err != nil { // it would show what spoil did
		t.Fatal(err)
	}
	job := rederive.Job{
		Chain: domain.Mainnet, Leases: index.NewLeases(r.db), Checkpoints: index.NewCheckpoints(r.db),
		Archive: index.NewArchive(r.db), Writer: index.NewWriter(r.db), Holder: "test",
	}
	if _, err := job.Run(t.Context(), "locators"); err != nil {
		t.Fatal(err)
	}
	r.requireSpoilt(10, true)
}

func TestRollbackBelowTheFinalizedTierInvalidatesTheCache(t *testing.T) {
	t.Parallel()
	r, blocks := newRemembering(t), repotest.Everyday(t)
	r.listen()
	r.requireSpoilt(40, false)
	err := indexing.Hold(t.Context(), index.NewLeases(r.db), domain.Mainnet, "test", nil, func(ctx context.Context, lease indexing.Lease) error {
		return index.NewWriter(r.db).Rollback(ctx, lease, &domain.BlockRef{Number: 39, Hash: blocks[39].Header.Hash})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/SN_MAIN/block/40", "/v1/SN_MAIN/block/" + blocks[40].Header.Hash.String(), "/v1/SN_MAIN/tx/" + blocks[40].Transactions[0].Hash.String()} {
		requireFailure(t, r.get(path), http.StatusNotFound, domain.CodeNotFound)
	}
}
