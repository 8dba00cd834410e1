package facts

import "slices"

// Verification is how far a block was checked against its own hashes when it
// was indexed. It is not a fact of the chain, so that the digest of an index does
// not cover it. The base digest of the block does.
type Verification string

// The levels, from the weakest to the strongest.
const (
	// Unverified blocks were accepted as the node sent them.
	Unverified Verification = "unverified"
	// TransactionsVerified means that the hash of every transaction was
	// recomputed from its fields.
	TransactionsVerified Verification = "transactions"
	// FullyVerified means that also the block's hash was recomputed, from
	// everything that it commits to.
	FullyVerified Verification = "full"
)

// Verifications lists the levels in their order.
var Verifications = []Verification{Unverified, TransactionsVerified, FullyVerified}

// Lesser returns the weaker of two levels. An empty level is Unverified.
func Lesser(a, b Verification) Verification {
	return Verifications[max(0, min(slices.Index(Verifications, a), slices.Index(Verifications, b)))]
}
