package oracle

import (
	"errors"
	"math/big"
	"net/http"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// moment is the state after a block.
type moment struct {
	*Block
	body object // its fields in a response
}

// moment resolves the block of a request; false if there is none. Pending is
// the pre-confirmed block, which has no hash and, because no transactions are
// sent here, the state of the newest block.
func (m *Model) moment(r Request) (at moment, known bool) {
	tag := "latest"
	if r.Query.Has("block_tag") {
		tag = r.Query.Get("block_tag")
	}
	at.body = object{"chainId": m.Chain, "blockTag": tag}
	if tag == "pending" {
		at.Block = m.head()
		at.body["blockNumber"], at.body["blockHash"] = m.head().BlockNumber+1, nil
		return at, true
	}
	if at.Block = m.blockNamed(tag); at.Block == nil {
		return at, false
	}
	at.body["blockNumber"], at.body["blockHash"] = at.BlockNumber, at.BlockHash.String()
	return at, true
}

// readContract calls a view. A missing view and a revert are results of the
// contract. A proxy takes every call, so that a view which its implementation
// lacks is a revert.
func (m *Model) readContract(r Request, contract starknet.Felt) Answer {
	at, known := m.moment(r)
	if !known {
		return notFound
	}
	selector := felt(r.Query.Get("selector"))
	result, err := m.Read(at.BlockNumber, contract, m.functionName(selector), felts(r.Query["calldata"])...)
	switch {
	case errors.Is(err, vm.ErrNoContract), errors.Is(err, vm.ErrNoEntryPoint) && !m.delegatesAt(contract, at.Block):
		return notFound
	case err != nil:
		return Answer{Status: http.StatusUnprocessableEntity, Code: "contract_call_failed"}
	}
	at.body["contractAddress"], at.body["selector"], at.body["result"] = contract.String(), selector.String(), texts(result)
	return found(at.body)
}

// The views for supply and balance, in both spellings.
var supplyViews, balanceViews = []string{"total_supply", "totalSupply"}, []string{"balance_of", "balanceOf"}

// quantity reads a number from a contract.
func (m *Model) quantity(r Request, name string, contract starknet.Felt, functions []string, calldata ...starknet.Felt) Answer {
	at, known := m.moment(r)
	if !known {
		return notFound
	}
	value := m.numberAt(at.Block, contract, functions, calldata...)
	if value == nil {
		return notFound
	}
	at.body["tokenAddress"], at.body[name] = contract.String(), value.String()
	for _, owner := range calldata {
		at.body["ownerAddress"] = owner.String()
	}
	return found(at.body)
}

// numberAt reads a number from a contract after a block, by the first function
// that works; nil if none does.
func (m *Model) numberAt(b *Block, contract starknet.Felt, functions []string, calldata ...starknet.Felt) *big.Int {
	for _, function := range functions {
		result, err := m.Read(b.BlockNumber, contract, function, calldata...)
		switch {
		case err == nil && len(result) == 1:
			return result[0].Big()
		case err == nil && len(result) == 2 && result[0].Big().BitLen() <= 128 && result[1].Big().BitLen() <= 128:
			return new(big.Int).Add(result[0].Big(), new(big.Int).Lsh(result[1].Big(), 128))
		}
	}
	return nil
}
