package verify

import (
	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/starknet"
)

// genesis has the hash of block 0 of each real chain. A simulated chain, a fork
// and a development network have another one.
var genesis = map[domain.Chain]starknet.Felt{
	domain.Mainnet: starknet.MustFelt("0x47c3637b57c2b079b93c61539950c17e868a28f46cdef28f88521067f21e943"),
	domain.Sepolia: starknet.MustFelt("0x5c627d4aeb51280058bed93c7889bce78114d63baad1be0f0aeb32496d5f19c"),
}

// EnvironmentOf returns the environment of receipts about an indexed chain, by the
// hash of its block 0: production only for the real chain.
func EnvironmentOf(c domain.Chain, first starknet.Felt) receipt.Environment {
	if first == genesis[c] {
		return receipt.Production
	}
	return receipt.Demo
}

// ReasonUnprovenChain is the reason code while a key of the environment
// production must not sign, because it is unknown which chain was indexed.
const ReasonUnprovenChain = "unproven_chain"

// mayVouch returns why a key of an environment must not sign for a chain whose
// indexed block 0 has a hash, nil if it may. A demo key may sign for every chain:
// its receipts claim nothing about a real one.
func mayVouch(environment receipt.Environment, c domain.Chain, first *starknet.Felt) *Refusal {
	switch {
	case environment == receipt.Demo:
		return nil
	case first == nil:
		return &Refusal{ReasonUnprovenChain, "The index does not know the hash of block 0, so the chain may be simulated. " +
			"The indexer requests block 0 from its nodes; at least one of them must have it."}
	case *first != genesis[c]:
		return &Refusal{string(receipt.WrongEnvironment), "The index was made from a simulated chain: its block 0 is " + first.String() + ", that of " + string(c) + " is " + genesis[c].String() +
			". Only keys of the environment demo sign for it."}
	}
	return nil
}

// Refusal is why a controller must not sign.
type Refusal struct {
	Code    string // for programs: a receipt.Reason or ReasonUnprovenChain
	Message string // in whole sentences
}

// Final reports whether the controller can never sign with its settings. It may
// later only while the chain is unproven.
func (r *Refusal) Final() bool { return r.Code != ReasonUnprovenChain }

// Error implements error.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }
