package facts

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// Fold makes one digest of many blocks. The zero value is of none.
type Fold struct {
	first, last uint64
	blocks      int
	all         hash.Hash
	tables      []hash.Hash
}

// Add adds the next block.
func (f *Fold) Add(b *Block) {
	if f.blocks == 0 {
		f.begin(b.Header.Number)
	}
	f.blocks++
	f.last = b.Header.Number
	digests := DigestOf(b)
	for i, digest := range digests {
		f.mix(f.tables[i], digest)
	}
	f.mix(f.all, digests.Sum())
}

// mix adds a digest of the last block; a hash never fails.
func (f *Fold) mix(into hash.Hash, digest Digest) {
	_, _ = into.Write(append(binary.BigEndian.AppendUint64(nil, f.last), digest[:]...))
}

func (f *Fold) begin(first uint64) {
	f.first = first
	f.all = newFold()
	f.tables = make([]hash.Hash, len(Tables))
	for i := range f.tables {
		f.tables[i] = newFold()
	}
}

func newFold() hash.Hash {
	h := sha256.New()
	h.Write([]byte(digestVersion))
	return h
}

// Blocks returns the first and the last block that were added, and how many.
func (f *Fold) Blocks() (first, last uint64, count int) { return f.first, f.last, f.blocks }

// Sum returns the digest of the blocks so far.
func (f *Fold) Sum() Digest {
	if f.blocks == 0 {
		return Digest(newFold().Sum(nil))
	}
	return Digest(f.all.Sum(nil))
}

// Table returns the digest of one table's rows so far.
func (f *Fold) Table(table Table) Digest {
	for i := range f.tables {
		if Tables[i] == table {
			return Digest(f.tables[i].Sum(nil))
		}
	}
	return Digest(newFold().Sum(nil))
}
