package commitment

import (
	"slices"

	"astrolabe/starknet"
)

var stateDiffTag = starknet.MustShortString("STARKNET_STATE_DIFF0")

// StateDiff returns the hash of a state diff.
func StateDiff(diff *starknet.StateDiff) starknet.Felt {
	var h starknet.PoseidonHasher
	h.Write(stateDiffTag)
	writePairs(&h, contractClasses(diff))
	writePairs(&h, compiledClasses(diff))

	deprecated := slices.SortedFunc(slices.Values(diff.DeprecatedDeclaredClasses), starknet.Felt.Cmp)
	h.Write(count(len(deprecated)))
	h.Write(deprecated...)

	h.Write(starknet.FeltFromUint64(1), starknet.Felt{}) // one data availability mode, L1
	writeStorage(&h, diff.StorageDiffs)

	nonces := make([]pair, len(diff.Nonces))
	for i, n := range diff.Nonces {
		nonces[i] = pair{n.ContractAddress, n.Nonce}
	}
	writePairs(&h, nonces)
	return h.Sum()
}

// pair is a key with its new value.
type pair struct{ key, value starknet.Felt }

// writePairs hashes the number of pairs, and the pairs in the order of their
// keys.
func writePairs(h *starknet.PoseidonHasher, pairs []pair) {
	slices.SortFunc(pairs, func(a, b pair) int { return a.key.Cmp(b.key) })
	h.Write(count(len(pairs)))
	for _, p := range pairs {
		h.Write(p.key, p.value)
	}
}

// contractClasses are the contracts that were deployed or got another class.
func contractClasses(diff *starknet.StateDiff) []pair {
	pairs := make([]pair, 0, len(diff.DeployedContracts)+len(diff.ReplacedClasses))
	for _, c := range diff.DeployedContracts {
		pairs = append(pairs, pair{c.Address, c.ClassHash})
	}
	for _, c := range diff.ReplacedClasses {
		pairs = append(pairs, pair{c.ContractAddress, c.ClassHash})
	}
	return pairs
}

// compiledClasses are the classes that were declared or compiled again.
func compiledClasses(diff *starknet.StateDiff) []pair {
	pairs := make([]pair, 0, len(diff.DeclaredClasses)+len(diff.MigratedCompiledClasses))
	for _, c := range diff.DeclaredClasses {
		pairs = append(pairs, pair{c.ClassHash, c.CompiledClassHash})
	}
	for _, c := range diff.MigratedCompiledClasses {
		pairs = append(pairs, pair{c.ClassHash, c.CompiledClassHash})
	}
	return pairs
}

// writeStorage hashes the changed cells.
func writeStorage(h *starknet.PoseidonHasher, diffs []starknet.StorageDiff) {
	contracts := slices.SortedFunc(slices.Values(diffs), func(a, b starknet.StorageDiff) int { return a.Address.Cmp(b.Address) })
	h.Write(count(len(contracts)))
	for _, contract := range contracts {
		h.Write(contract.Address)
		pairs := make([]pair, len(contract.StorageEntries))
		for i, entry := range contract.StorageEntries {
			pairs[i] = pair{entry.Key, entry.Value}
		}
		writePairs(h, pairs)
	}
}
