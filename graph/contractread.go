package graph

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// ContractRead is what a contract's view returned.
type ContractRead struct {
	ContractAddress starknet.Felt
	Selector        starknet.Felt
	stateAt
	Result []starknet.Felt
}

// stateAt is the block whose state was read.
type stateAt struct {
	BlockTag    string
	BlockNumber uint64
	BlockHash   *starknet.Felt
}

// maxAsked is how many contracts one field asks a node about.
const maxAsked = 25

// checkAsked refuses to ask a node about too many contracts.
func checkAsked(contracts int) error {
	if contracts > maxAsked {
		return domain.Errorf(domain.CodeInvalidRequest, "the field would ask %d contracts; at most %d can be asked at once: ask for fewer items around it", contracts, maxAsked)
	}
	return nil
}

// stateBlock reads the block whose state is asked for.
func stateBlock(tag string) (chain.BlockID, error) {
	return chain.ParseBlockID(tag, chain.StateTags...)
}

// told is what came of a question to one contract.
type told[T any] struct {
	value *T
	err   error
}

// Read calls a view of the contract.
func (c *Contract) Read(ctx context.Context, selector starknet.Felt, calldata []starknet.Felt, blockTag string) (*ContractRead, error) {
	at, err := stateBlock(blockTag)
	if err != nil {
		return nil, err
	}
	if len(calldata) > chain.MaxCalldata {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "calldata must have at most %d felts", chain.MaxCalldata)
	}
	question := edge{"Contract.read", fmt.Sprint(selector, calldata, blockTag)}
	answer, err := load(ctx, c.peers, question, c, func(ctx context.Context, contracts []*Contract) ([]told[ContractRead], error) {
		if err := checkAsked(len(contracts)); err != nil {
			return nil, err
		}
		calls := convert(contracts, func(c *Contract) chain.ViewCall {
			return chain.ViewCall{Contract: c.facts.Address, Selector: selector, Calldata: calldata}
		})
		block, viewed, err := c.h.States.Views(ctx, c.chain, at, calls)
		if err != nil {
			return nil, err
		}
		answers := make([]told[ContractRead], len(viewed))
		for i, v := range viewed {
			answers[i] = told[ContractRead]{&ContractRead{calls[i].Contract, selector, stateAt{blockTag, block.Number, block.Hash}, v.Result}, v.Err}
		}
		return answers, nil
	})
	if err == nil {
		err = answer.err
	}
	if err != nil {
		return nil, err
	}
	return answer.value, nil
}
