package index

import (
	"context"
	"errors"
	"sync"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// keptBytes limits what is kept, approximately.
const keptBytes = 32 << 20

// kept holds verified answers of the node that are not stored yet, so that a turn
// that fails does not ask for them again: blocks with or without their state
// update, and classes. Its zero value is empty. When it is full, later answers are
// not kept. It is safe for concurrent use.
type kept struct {
	mu      sync.Mutex
	bytes   int
	blocks  map[uint64]fetched
	classes map[starknet.Felt]*facts.Class
}

// block returns what is kept of a block.
func (k *kept) block(number uint64) fetched {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.blocks[number]
}

// keep keeps a block.
func (k *kept) keep(number uint64, got fetched) {
	got.err = nil
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget(number)
	if size := got.size(); k.bytes+size <= keptBytes {
		if k.blocks == nil {
			k.blocks = map[uint64]fetched{}
		}
		k.blocks[number] = got
		k.bytes += size
	}
}

// drop removes a block.
func (k *kept) drop(number uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget(number)
}

func (k *kept) forget(number uint64) {
	if old, known := k.blocks[number]; known {
		k.bytes -= old.size()
		delete(k.blocks, number)
	}
}

// class returns a class; nil if it is not kept.
func (k *kept) class(hash starknet.Felt) *facts.Class {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.classes[hash]
}

// keepClass keeps a class that has its hash.
func (k *kept) keepClass(class *facts.Class) {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := classWeight(class)
	if k.classes[class.Hash] != nil || k.bytes+size > keptBytes {
		return
	}
	if k.classes == nil {
		k.classes = map[starknet.Felt]*facts.Class{}
	}
	k.classes[class.Hash] = class
	k.bytes += size
}

// stored removes what a batch has stored.
func (k *kept) stored(batch *indexing.Batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range batch.Blocks {
		k.forget(batch.Blocks[i].Header.Number)
		for _, class := range batch.Blocks[i].Classes {
			if k.classes[class.Hash] != nil {
				k.bytes -= classWeight(k.classes[class.Hash])
				delete(k.classes, class.Hash)
			}
		}
	}
}

// purge removes everything.
func (k *kept) purge() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes, k.blocks, k.classes = 0, nil, nil
}

// newest returns the newest block; nil if there is none.
func (k *kept) newest() *starknet.BlockWithReceipts {
	k.mu.Lock()
	defer k.mu.Unlock()
	var newest *starknet.BlockWithReceipts
	for _, got := range k.blocks {
		if newest == nil || got.block.BlockNumber > newest.BlockNumber {
			newest = got.block
		}
	}
	return newest
}

// outlives reports whether what is kept stays valid after an error: the node or
// the database did not answer, which says nothing about earlier answers.
func outlives(err error) bool {
	return errors.Is(err, chain.ErrNodeUnavailable) || domain.CodeOf(err) == domain.CodeServiceUnavailable
}

// recheck drops what is kept if its newest block may have left the chain since
// the last turn, and has.
func (t *turns) recheck(ctx context.Context) error {
	newest := t.kept.newest()
	if newest == nil || newest.BlockNumber <= t.settled() {
		return nil
	}
	hash, has, err := t.Node.HashAt(ctx, newest.BlockNumber)
	if err == nil && (!has || hash != newest.BlockHash) {
		t.kept.purge()
	}
	return err
}

// size estimates the memory of a block in bytes.
func (f *fetched) size() int {
	const felt, transaction = 32, 2 << 10
	n := transaction * (len(f.block.Transactions) + 1)
	for i := range f.block.Transactions {
		tx := &f.block.Transactions[i]
		n += felt * (len(tx.Transaction.Calldata) + len(tx.Transaction.Signature) + len(tx.Transaction.ProofFacts))
		for j := range tx.Receipt.Events {
			n += felt * (4 + len(tx.Receipt.Events[j].Keys) + len(tx.Receipt.Events[j].Data))
		}
	}
	if f.update != nil {
		diff := &f.update.StateDiff
		for i := range diff.StorageDiffs {
			n += felt * (2 + 2*len(diff.StorageDiffs[i].StorageEntries))
		}
		n += 2 * felt * (len(diff.DeployedContracts) + len(diff.ReplacedClasses) + len(diff.DeclaredClasses) + len(diff.Nonces))
	}
	return n
}
