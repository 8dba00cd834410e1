package facts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"astrolabe/starknet"
)

// Digest identifies rows by their meaning: felts instead of ids, no order but
// that of the keys. Indexes of the same blocks have the same digest, however
// they came about.
//
// It does not cover columns that are not facts of the chain, follow from other
// rows, or depend on the time of indexing:
//
//   - the ids of addresses, selectors and classes, and unused ones of them;
//   - tokens.name, symbol, decimals, metadata_block, metadata_at and metadata_due;
//   - the ranges, their states and their counts of events;
//   - blocks.verification, which says how the node was checked: indexes made
//     with different --verify levels have the same digest;
//   - locators, versions of derivers, finalized_block, leases and heads.
type Digest [sha256.Size]byte

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// digestVersion is part of every digest. It changes with the covered columns.
const digestVersion = "astrolabe facts 3\n"

// BlockDigest are the digests of a block's tables, in the order of Tables.
type BlockDigest []Digest

// DigestOf returns the digests of a block as it is stored: its Classes and
// Tokens are those that it names first.
func DigestOf(b *Block) BlockDigest {
	digests := make(BlockDigest, len(Tables))
	var rows encoding
	for i, table := range Tables {
		rows = append(rows[:0], digestVersion...)
		rows.text("", string(table))
		b.columns(table, &rows)
		digests[i] = sha256.Sum256(append(rows, 0))
	}
	return digests
}

// Sum returns the digest of the whole block.
func (d BlockDigest) Sum() Digest {
	all := encoding(digestVersion)
	for i := range d {
		all = append(all, d[i][:]...)
	}
	return sha256.Sum256(all)
}

// encoding is a sink that writes rows so that different rows are different
// bytes: numbers have 8 of them, felts 32, anything else its length before it,
// and each row a 1.
type encoding []byte

func (e *encoding) row(int)                        { *e = append(*e, 1) }
func (e *encoding) number(_ string, v uint64)      { *e = binary.BigEndian.AppendUint64(*e, v) }
func (e *encoding) text(_ string, v string)        { e.number("", uint64(len(v))); *e = append(*e, v...) }
func (e *encoding) bytes(_ string, v []byte)       { e.number("", uint64(len(v))); *e = append(*e, v...) }
func (e *encoding) felt(_ string, v starknet.Felt) { *e = append(*e, v[:]...) }

func (e *encoding) flag(_ string, v bool) {
	if v {
		*e = append(*e, 1)
	} else {
		*e = append(*e, 0)
	}
}

func (e *encoding) feltIf(_ string, v *starknet.Felt) {
	if e.flag("", v != nil); v != nil {
		*e = append(*e, v[:]...)
	}
}

func (e *encoding) numberIf(_ string, v *int) {
	if e.flag("", v != nil); v != nil {
		e.number("", uint64(*v))
	}
}

func (e *encoding) amountIf(_ string, v *starknet.Uint256) {
	if e.flag("", v != nil); v != nil {
		*e = append(*e, v[:]...)
	}
}

func (e *encoding) felts(_ string, v []starknet.Felt) {
	e.number("", uint64(len(v)))
	for i := range v {
		*e = append(*e, v[i][:]...)
	}
}
