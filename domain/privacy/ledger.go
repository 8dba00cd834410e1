package privacy

import (
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// Ledger is where the flow ledger of a chain stands, and its totals. The zero
// value is a ledger that includes nothing.
type Ledger struct {
	// Through is the newest block that it includes; nil before the first one.
	Through *LedgerBlock
	// FirstBlock and FirstTimestamp are of the block with the first event of a
	// pool; nil before it.
	FirstBlock, FirstTimestamp *uint64
	// Hour is the newest hour that has a point; nil before the first point.
	Hour *uint64
	// Flow is the place of the newest flow, Event of the newest event.
	Flow, Event *Place
	// Transactions counts those with events of a pool, Wallets those that have
	// set a viewing key.
	Transactions, Wallets uint64
	// Missing counts flows without an amount, those of no known token included.
	Missing uint64
	// Fees is what the pools have charged, in STRK.
	Fees starknet.Uint256
}

// LedgerProgress is the result of one step of extending a ledger.
type LedgerProgress struct {
	Through  uint64 // the newest block that it includes
	More     bool   // there are later finalized blocks that it can include
	Advanced bool
}

// LedgerBlock is a finalized block.
type LedgerBlock struct {
	Number    uint64
	Hash      starknet.Felt
	Timestamp uint64
}

// LedgerEvent is an event of a pool, as the ledger needs it.
type LedgerEvent struct {
	At        Place
	Timestamp uint64 // of its block
	Pool      starknet.Felt
	Variant   facts.PoolVariant
	Reading   facts.PoolReading
	Party     *starknet.Felt // only of those that set a viewing key or a fee collector
	Token     *starknet.Felt
	Amount    *starknet.Uint256
}

// LedgerFlow sums up flows. Deposits include the funding of open notes. Flows
// without an amount are counted as well, and again in Missing.
type LedgerFlow struct {
	Deposited, Withdrawn           starknet.Uint256
	Deposits, Withdrawals, Missing uint64
}

// AssetKey names the flows of a token through a pool.
type AssetKey struct{ Token, Pool starknet.Felt }

// LedgerAsset is the flow of a token through a pool.
type LedgerAsset struct {
	LedgerFlow
	Newest Place // of the newest flow
}

// CountKey names the events of a variant of a pool.
type CountKey struct {
	Pool    starknet.Felt
	Variant facts.PoolVariant
}

// LedgerPoint is the ledger at the end of an hour.
type LedgerPoint struct {
	Hour  uint64      // its start
	Block LedgerBlock // the last one before the hour's end
	Flow  *Place      // of the newest flow
	// Pools counts those with events, Tokens those that have flowed, and Missing
	// the flows without an amount.
	Pools, Tokens, Missing uint64
	// Assets are the tokens that the pools hold by their flows, or of which an
	// amount is missing.
	Assets map[starknet.Felt]LedgerFlow
}

// BucketKey names a bucket of metrics.
type BucketKey struct {
	Width Width
	Start uint64
}

// LedgerBucket counts the events of a part of a bucket.
type LedgerBucket struct {
	Wallets, Deposits, Withdrawals, NotesUsed uint64
	WalletsSum                                uint64 // up to the end of this part
	Block                                     uint64 // of the newest event
}

// TokenBucketKey names a bucket of a token.
type TokenBucketKey struct {
	BucketKey
	Token starknet.Felt
}

// LedgerBucketFlow is the flow of a token in a part of a bucket.
type LedgerBucketFlow struct {
	Deposited, Withdrawn       starknet.Uint256
	DepositedSum, WithdrawnSum starknet.Uint256 // up to the end of this part
	Block                      uint64           // of the newest flow
}

// LedgerBucketFee is what pools charged in a part of a bucket.
type LedgerBucketFee struct {
	Amount, AmountSum starknet.Uint256 // the sum is up to the end of this part
	Transfers         uint64
	Block             uint64 // of the newest fee
}
