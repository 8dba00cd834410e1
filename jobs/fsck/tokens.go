package fsck

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// Readings are what jobs read from the node.
type Readings interface {
	// Readings returns up to limit tokens after an address with what was read of
	// them, in the order of addresses; nil is before the first.
	Readings(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) ([]token.StoredReading, error)
	// CensusPolicies returns up to limit census policies after a token, in the
	// order of addresses; nil is before the first.
	CensusPolicies(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) ([]token.StoredPolicy, error)
}

// State asks a node for the state after a block.
type State interface {
	token.Views
	// Call calls a view with calldata.
	Call(ctx context.Context, at chain.StateBlock, call chain.ViewCall) (chain.Answer, error)
}

// tokensAtOnce is the number of tokens per read.
const tokensAtOnce = 100

// tokens compares metadata, supplies and the largest balances of censuses with
// the node, at the blocks they were read at. A node that no longer has the state
// of a block is noted once.
func (l *inspection) tokens(ctx context.Context) error {
	node, views := l.Node.(State)
	if !views || l.Readings == nil || l.result.Blocks == 0 {
		return nil
	}
	unread := 0
	var after *starknet.Felt
	for !l.full() {
		readings, err := l.Readings.Readings(ctx, l.Chain, after, tokensAtOnce)
		if err != nil {
			return err
		}
		if len(readings) == 0 {
			break
		}
		for i := range readings {
			l.report("comparing tokens with the node: at %s", readings[i].Token)
			if err := l.token(ctx, node, &readings[i]); err != nil {
				if ctx.Err() != nil {
					return err
				}
				unread++
			}
		}
		after = &readings[len(readings)-1].Token
	}
	if unread > 0 {
		l.result.Notes = append(l.result.Notes, fmt.Sprintf("%d tokens could not be compared, because the node does not have the state of their blocks", unread))
	}
	return nil
}

// token compares what was read of one token.
func (l *inspection) token(ctx context.Context, node State, r *token.StoredReading) error {
	advice := indexing.Advice(l.Chain)
	wrong := func(check string, kind indexing.Results, block uint64, format string, args ...any) {
		l.found(indexing.Finding{
			Check: check, Block: &block, Detail: fmt.Sprintf("token %s: ", r.Token) + fmt.Sprintf(format, args...), Repair: advice.Discard(kind),
		})
	}
	var failures error
	if r.MetadataBlock != nil {
		said, err := token.Describe(ctx, node, r.MetadataBlock.Hash, r.Token)
		failures = err
		if err == nil && !reflect.DeepEqual(said, r.Metadata) {
			wrong("metadata", indexing.Metadata, r.MetadataBlock.Number, "its name, symbol or decimals differ from those that the node reports")
		}
	}
	if r.SupplyBlock != nil {
		said, err := token.ReadSupply(ctx, node, r.SupplyBlock.Hash, r.Token)
		failures = errors.Join(failures, err)
		if err == nil && (said == nil || r.Supply == nil || *said != *r.Supply) {
			wrong("supplies", indexing.Supplies, r.SupplyBlock.Number, "its supply is %s, but the node reports a different one", r.Supply)
		}
	}
	for _, held := range r.Holders {
		if r.CensusBlock == nil {
			break
		}
		said, answered, err := balance(ctx, node, r.CensusBlock.Hash, r.Token, held.Holder)
		failures = errors.Join(failures, err)
		if err == nil && answered && said != held.Balance {
			wrong("census balances", indexing.Censuses, r.CensusBlock.Number, "holder %s has %s, but the node says %s", held.Holder, held.Balance, said)
		}
	}
	return failures
}

// balanceViews are the names under which contracts tell balances.
var balanceViews = []starknet.Felt{starknet.Selector("balance_of"), starknet.Selector("balanceOf")}

// balance asks what a holder has of a token; it is false if the token does not
// answer.
func balance(ctx context.Context, node State, at, contract, holder starknet.Felt) (starknet.Uint256, bool, error) {
	for _, view := range balanceViews {
		answer, err := node.Call(ctx, chain.StateBlock{Hash: &at}, chain.ViewCall{Contract: contract, Selector: view, Calldata: []starknet.Felt{holder}})
		if err != nil {
			return starknet.Uint256{}, false, err
		}
		if amount, ok := token.ReadQuantity(answer.Result); answer.Returned() && ok {
			return amount, true, nil
		}
	}
	return starknet.Uint256{}, false, nil
}
