package verify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	work "astrolabe/jobs/verify"
)

// outbox is a log in memory whose receipts a test admits.
type outbox struct {
	pending []transparency.Pending
	newest  *transparency.Checkpoint
	hashes  []tlog.Hash
	fail    error
	grown   chan int
}

// Grow implements transparency.GrowingStore.
func (o *outbox) Grow(_ context.Context, most int, decide transparency.Decide) (*transparency.Growth, error) {
	if o.fail != nil {
		err := o.fail
		o.fail = nil
		o.grown <- -1
		return nil, err
	}
	batch := o.pending[:min(most, len(o.pending))]
	growth, err := decide(o.newest, batch, tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		read := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			read[i] = o.hashes[index]
		}
		return read, nil
	}))
	if err == nil && growth != nil {
		o.newest, o.hashes, o.pending = growth.Checkpoint, append(o.hashes, growth.Hashes...), o.pending[growth.Added:]
		o.grown <- growth.Added
	} else {
		o.grown <- 0
	}
	return growth, err
}

func TestIntegrationIsWokenAndContinuesAfterAFailure(t *testing.T) {
	t.Parallel()
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	store := &outbox{grown: make(chan int)}
	wake, said := make(chan struct{}), &bytes.Buffer{}
	loop := &work.Integrate{
		Integration: transparency.Integration{Store: store, Now: time.Now, Signer: func(context.Context) (transparency.Signer, error) {
			return transparency.Signer{Private: private, Key: receipt.Key{
				ID: "k", PublicKey: private.Public().(ed25519.PublicKey), Environment: receipt.Demo,
				Toolchain: receipt.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)},
			}}, nil
		}},
		Logger: slog.New(slog.NewTextHandler(said, nil)), Wake: wake,
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- loop.Run(ctx) }()
	expect := func(what string, want int) {
		t.Helper()
		if got := <-store.grown; got != want {
			t.Errorf("%s: got %d added, want %d", what, got, want)
		}
	}
	expect("an empty outbox", 0)
	for n := range 300 {
		store.pending = append(store.pending, transparency.Pending{ReceiptID: int64(n) + 1, Digest: "sha256:"})
	}
	store.fail = errors.New("connection lost")
	wake <- struct{}{}
	expect("a failure", -1)
	wake <- struct{}{}
	expect("the first batch", transparency.Batch)
	expect("the second batch", 300-transparency.Batch)
	wake <- struct{}{}
	expect("nothing new", 0)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("got %v at the end, want none", err)
	}
	for _, want := range []string{"cannot add receipts to the transparency log", "connection lost", "are added to the transparency log again", "receipts=300"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("got the log\n%swant %q in it", said, want)
		}
	}
}
