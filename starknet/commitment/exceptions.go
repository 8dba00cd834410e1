package commitment

import "astrolabe/starknet"

var (
	mainnet = starknet.MustShortString("SN_MAIN")
	sepolia = starknet.MustShortString("SN_SEPOLIA")
)

// firstWithEvents is the first block of a chain whose hash follows the formula
// of Starknet 0.7. The headers of that time have no version.
var firstWithEvents = map[starknet.Felt]uint64{mainnet: 833}

// fallbackSequencers are the addresses that were hashed into blocks whose
// header names no sequencer: the sequencer was configured, but not published.
var fallbackSequencers = map[starknet.Felt]starknet.Felt{
	mainnet: starknet.MustFelt("0x21f4b90b0377c82bf330b7b5295820769e72d79d8acd0effa0ebde6e9988bc5"),
	sepolia: starknet.MustFelt("0x46a89ae102987331d369645031b49c27738ed096f2789c24449966da4c6de6b"),
}

// HashMayBeLost reports whether a transaction is of a kind whose hash cannot
// always be reproduced: for L1 handlers from before Starknet 0.11 the nonce
// that was hashed is not always known, and nodes show zero.
func HashMayBeLost(header *starknet.BlockHeader, tx *starknet.Transaction) bool {
	version, err := parseRelease(header.StarknetVersion)
	return err == nil && version.before(release{0, 11, 0}) && tx.Type == starknet.L1Handler && tx.Nonce.IsZero()
}
