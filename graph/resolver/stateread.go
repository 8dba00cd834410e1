package resolver

import (
	"context"
	"fmt"

	"github.com/graph-gophers/dataloader/v7"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/graph/cohort"
	"astrolabe/starknet"
)

// ContractRead is the result of a view function at the state after a block.
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

// maxContracts is the number of contracts that one field reads from a node at once.
const maxContracts = 25

// askNode rejects a batch over that limit and draws on the rate limit of reads
// from a node.
func (r *Resolver) askNode(ctx context.Context, contracts int) error {
	if contracts > maxContracts {
		return domain.Errorf(domain.CodeInvalidRequest, "This field would read %d contracts at once; the limit is %d. Request fewer parent objects, for example with a smaller value of `first`.", contracts, maxContracts)
	}
	return r.Draw(ctx, account.Heavy, contracts)
}

// stateBlock parses a block tag.
func stateBlock(tag string) (chain.BlockID, error) {
	return chain.ParseBlockID(tag, chain.StateTags...)
}

// viewed is the result of a view function and its block.
type viewed struct {
	block  chain.StateBlock
	result []starknet.Felt
}

// Read calls a view function of the contract at a block.
func (c *Contract) Read(ctx context.Context, selector starknet.Felt, calldata []starknet.Felt, blockTag string) (*ContractRead, error) {
	at, err := stateBlock(blockTag)
	if err != nil {
		return nil, err
	}
	if len(calldata) > chain.MaxCalldata {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "calldata must have at most %d felts, got %d.", chain.MaxCalldata, len(calldata))
	}
	kind := cohort.Kind{Chain: c.chain, Name: "view of a contract", Arguments: fmt.Sprint(selector, calldata, blockTag)}
	answer, err := loadFact(ctx, c, (*Contract).Address, cohort.Fact[starknet.Felt, viewed]{Kind: kind, Read: c.views(at, selector, calldata)})
	if err != nil {
		return nil, err
	}
	return &ContractRead{c.facts.Address, selector, stateAt{blockTag, answer.block.Number, answer.block.Hash}, answer.result}, nil
}

// views calls the same view function of several contracts; each can fail alone.
func (on onChain) views(at chain.BlockID, selector starknet.Felt, calldata []starknet.Felt) dataloader.BatchFunc[starknet.Felt, viewed] {
	return cohort.Each(func(ctx context.Context, contracts []starknet.Felt) ([]*dataloader.Result[viewed], error) {
		if err := on.resolver.askNode(ctx, len(contracts)); err != nil {
			return nil, err
		}
		calls := convert(contracts, func(contract starknet.Felt) chain.ViewCall {
			return chain.ViewCall{Contract: contract, Selector: selector, Calldata: calldata}
		})
		block, answers, err := on.resolver.States.Views(ctx, on.chain, at, calls)
		return convert(answers, func(a chain.Viewed) *dataloader.Result[viewed] {
			return &dataloader.Result[viewed]{Data: viewed{block, a.Result}, Error: a.Err}
		}), err
	})
}

// TokenSupply is the total supply of a token at the state after a block, read
// from its contract.
type TokenSupply struct {
	stateAt
	TotalSupplyRaw domain.Amount
}

// TokenBalance is the token balance of an address at the state after a block,
// read from the token contract.
type TokenBalance struct {
	OwnerAddress starknet.Felt
	stateAt
	BalanceRaw domain.Amount
}

// TotalSupply returns the total supply at a block, read from the contract.
func (t *Token) TotalSupply(ctx context.Context, blockTag string) (*TokenSupply, error) {
	at, raw, err := t.quantity(ctx, "supply of a token", blockTag, blockTag, t.resolver.Quantities.Supplies)
	if err != nil {
		return nil, err
	}
	return &TokenSupply{at, raw}, nil
}

// BalanceOf returns the balance of an address at a block, read from the
// contract.
func (t *Token) BalanceOf(ctx context.Context, address starknet.Felt, blockTag string) (*TokenBalance, error) {
	at, raw, err := t.quantity(ctx, "balance of a token", balanceArguments{address, blockTag}, blockTag,
		func(ctx context.Context, c domain.Chain, id chain.BlockID, tokens []starknet.Felt) (chain.StateBlock, []token.Quantity, error) {
			return t.resolver.Quantities.Balances(ctx, c, id, convert(tokens, func(of starknet.Felt) token.Holding { return token.Holding{Token: of, Owner: address} }))
		})
	if err != nil {
		return nil, err
	}
	return &TokenBalance{address, at, raw}, nil
}

// balanceArguments distinguishes the balances of a token.
type balanceArguments struct {
	owner    starknet.Felt
	blockTag string
}

// quantityAt is a supply or balance and its block.
type quantityAt struct {
	block chain.StateBlock
	raw   starknet.Uint256
}

// quantity reads a supply or balance of all tokens of the cohort; each can fail
// alone.
func (t *Token) quantity(ctx context.Context, name string, arguments any, blockTag string,
	ask func(context.Context, domain.Chain, chain.BlockID, []starknet.Felt) (chain.StateBlock, []token.Quantity, error)) (stateAt, domain.Amount, error) {
	id, err := stateBlock(blockTag)
	if err != nil {
		return stateAt{}, domain.Amount{}, err
	}
	read := cohort.Each(func(ctx context.Context, tokens []starknet.Felt) ([]*dataloader.Result[quantityAt], error) {
		if err := t.resolver.askNode(ctx, len(tokens)); err != nil {
			return nil, err
		}
		block, quantities, err := ask(ctx, t.chain, id, tokens)
		return convert(quantities, func(q token.Quantity) *dataloader.Result[quantityAt] {
			return &dataloader.Result[quantityAt]{Data: quantityAt{block, q.Raw}, Error: q.Err}
		}), err
	})
	kind := cohort.Kind{Chain: t.chain, Name: name, Arguments: arguments}
	answer, err := loadFact(ctx, t, (*Token).TokenAddress, cohort.Fact[starknet.Felt, quantityAt]{Kind: kind, Read: read})
	if err != nil {
		return stateAt{}, domain.Amount{}, err
	}
	return stateAt{blockTag, answer.block.Number, answer.block.Hash}, domain.AmountFromBig(answer.raw.Big()), nil
}
