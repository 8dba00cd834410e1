package commitment

import (
	"math/big"
	"math/bits"

	"astrolabe/starknet"
)

// treeHeight is the height of the Patricia trees of a block.
const treeHeight = 64

// pairHash is the hash of a tree: Poseidon or Pedersen.
type pairHash func(a, b starknet.Felt) starknet.Felt

// root returns the root of the Patricia tree that holds the leaves under the
// keys 0, 1, 2 and so on. Without leaves it is zero.
func root(hash pairHash, leaves []starknet.Felt) starknet.Felt {
	if len(leaves) == 0 {
		return starknet.Felt{}
	}
	height := bits.Len(uint(len(leaves) - 1))
	return edge(hash, node(hash, leaves, height), treeHeight-height)
}

// node returns the hash of the subtree of a height, whose leaves begin at its
// left end and fill more than its left half.
func node(hash pairHash, leaves []starknet.Felt, height int) starknet.Felt {
	if height == 0 {
		return leaves[0]
	}
	half := 1 << (height - 1)
	right := leaves[half:]
	rightHeight := bits.Len(uint(len(right) - 1))
	return hash(node(hash, leaves[:half], height-1), edge(hash, node(hash, right, rightHeight), height-1-rightHeight))
}

// edge returns the hash of a subtree that is the only one below a path of
// zeros.
func edge(hash pairHash, child starknet.Felt, length int) starknet.Felt {
	if length == 0 {
		return child
	}
	sum := hash(child, starknet.Felt{}).Big()
	sum.Add(sum, big.NewInt(int64(length)))
	var f starknet.Felt
	sum.Mod(sum, starknet.Prime()).FillBytes(f[:])
	return f
}
