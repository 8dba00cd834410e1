package oracle

import (
	"errors"
	"net/http"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// tagged is the block that a request reads the state after, and how it names
// it.
func (m *Model) tagged(r Request) (tag string, b *Block) {
	tag = "latest"
	if r.Query.Has("block_tag") {
		tag = r.Query.Get("block_tag")
	}
	return tag, m.blockNamed(tag)
}

// readContract calls a view. That there is no such view is for the contract to
// say; that it fails in it, too.
func (m *Model) readContract(r Request, contract starknet.Felt) Answer {
	tag, b := m.tagged(r)
	if b == nil {
		return notFound
	}
	selector := felt(r.Query.Get("selector"))
	result, err := m.Read(b.BlockNumber, contract, m.functionName(selector), felts(r.Query["calldata"])...)
	switch {
	case errors.Is(err, vm.ErrNoContract), errors.Is(err, vm.ErrNoEntryPoint):
		return notFound
	case err != nil:
		return Answer{Status: http.StatusUnprocessableEntity, Code: "contract_call_failed"}
	}
	return found(object{
		"chainId": m.Chain, "contractAddress": contract.String(), "selector": selector.String(), "blockTag": tag,
		"blockNumber": b.BlockNumber, "blockHash": b.BlockHash.String(), "result": texts(result),
	})
}
