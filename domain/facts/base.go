package facts

import (
	"cmp"
	"crypto/sha256"
	"sync"

	"astrolabe/starknet"
)

// BaseTables are the tables whose rows come from the node. Everything else can
// be derived from them and from the classes.
var BaseTables = []Table{TableBlocks, TableTransactions, TableEvents, TableMessages, TableDeclarations, TableChanges, TableImplementations}

// The versions are part of every digest. A change of the covered columns changes
// them, and needs a migration that clears the stored digests.
const (
	baseVersion  = "astrolabe base 2\n"
	classVersion = "astrolabe base 1\n"
)

// BaseDigest returns the digest of a block's base rows, of how far the block was
// verified, and of the hashes of the classes that the block names first. It
// commits with the rows, so that a row that was changed, added or removed later
// is noticed without the node.
func BaseDigest(b *Block) Digest {
	rows := encodings.Get().(*encoding)
	defer encodings.Put(rows)
	*rows = append((*rows)[:0], baseVersion...)
	for _, table := range BaseTables {
		rows.text("", string(table))
		b.columns(table, rows)
		*rows = append(*rows, 0)
	}
	for _, class := range b.Classes {
		rows.felt("", class.Hash)
	}
	rows.text("", string(cmp.Or(b.Header.Verification, Unverified)))
	return sha256.Sum256(*rows)
}

// encodings are the buffers of base digests: an indexer makes one for each block.
var encodings = sync.Pool{New: func() any { return new(encoding) }}

// Digest returns the digest of what the node said about a class: its hash, its
// language and its ABI, of a Cairo 0 class in its canonical form. Everything else
// follows from the ABI.
func (c *Class) Digest() Digest {
	row := encoding(classVersion)
	row.felt("", c.Hash)
	row.flag("", c.Sierra)
	row.flag("", c.Missing)
	row.bytes("", c.canonicalABI())
	return sha256.Sum256(row)
}

// HashHolds reports whether the hash of a message is the one that its other
// columns give. The oldest messages from L1 had a hash without a nonce.
func (m *Message) HashHolds() bool {
	if m.Direction == L2ToL1 {
		return m.Hash == (&starknet.MessageToL1{FromAddress: m.From, ToAddress: m.To, Payload: m.Payload}).Hash()
	}
	if m.Nonce == nil || m.Selector == nil {
		return false
	}
	message := starknet.MessageFromL1{FromAddress: m.From, ToAddress: m.To, Selector: *m.Selector, Nonce: *m.Nonce, Payload: m.Payload}
	return m.Hash == message.Hash() || m.Hash == message.HashWithoutNonce()
}
