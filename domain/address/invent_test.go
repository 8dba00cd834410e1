package address_test

import (
	"context"
	"encoding/binary"
	"testing"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// aClass is a class without an ABI.
var aClass = facts.StoredClass(starknet.FeltFromUint64(0xc1a55), true, nil, false)

// invent makes blocks of so many transactions each, which fill completes, and
// derives their activity.
func invent(blocks, txs int, fill func(*facts.Block, *facts.Transaction)) []facts.Block {
	list := make([]facts.Block, blocks)
	for i := range list {
		b := &list[i]
		b.Header = facts.Header{Number: uint64(i), Hash: named(1, i), Timestamp: 1_700_000_000 + uint64(i), Transactions: txs}
		if i > 0 {
			b.Header.ParentHash = named(1, i-1)
		}
		b.Transactions = make([]facts.Transaction, txs)
		for tx := range b.Transactions {
			b.Transactions[tx] = facts.Transaction{Index: tx, Hash: named(2, i*txs+tx), Type: starknet.Invoke, Version: 3}
			fill(b, &b.Transactions[tx])
		}
		b.Activity = facts.Activities(b.Transactions, b.Transfers, b.Deployments, b.Changes, b.Events)
	}
	return list
}

// named makes a felt of two numbers.
func named(kind, n int) (f starknet.Felt) {
	f[1] = byte(kind)
	binary.BigEndian.PutUint64(f[24:], uint64(n)+1)
	return f
}

// made fills a database with blocks.
func made(ctx context.Context, url string, blocks []facts.Block) error {
	if err := repotest.Migrated(ctx, url); err != nil {
		return err
	}
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := repotest.NewIndex(ctx, db, 0, 100)
	index.Commit(index.Open(0, 1_000_000, indexing.RangeReady), blocks)
	index.Release()
	return index.Err()
}

// deployedWith is an index in which one contract has a class.
func deployedWith(t *testing.T, class, contract starknet.Felt) *repo.DB {
	t.Helper()
	db := repotest.Open(t)
	index := repotest.NewIndex(t.Context(), db, 0, 1)
	index.Commit(index.Open(0, 10, indexing.RangeReady), invent(1, 1, func(b *facts.Block, _ *facts.Transaction) {
		b.Classes = []*facts.Class{facts.StoredClass(class, true, nil, false)}
		b.Changes = []facts.ClassChange{{Address: contract, Origin: facts.Deployed, Class: class}}
	}))
	if index.Err() != nil {
		t.Fatal(index.Err())
	}
	return db
}
