package starknet

import "math/big"

var (
	addressPrefix = MustShortString("STARKNET_CONTRACT_ADDRESS")
	// addressBound is 2^251 - 256; every contract address is below it.
	addressBound = MustFelt("0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00")
)

// ContractAddress computes the address of a contract from its deployment. The
// deployer is zero for deploy and deploy-account transactions.
func ContractAddress(deployer, salt, classHash Felt, constructorCalldata []Felt) Felt {
	h := PedersenMany(addressPrefix, deployer, salt, classHash, PedersenMany(constructorCalldata...))
	if h.Cmp(addressBound) < 0 {
		return h
	}
	var address Felt
	new(big.Int).Sub(h.Big(), addressBound.Big()).FillBytes(address[:])
	return address
}
