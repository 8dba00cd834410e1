package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"astrolabe/domain/chain"
	"astrolabe/domain/indexing"
	"astrolabe/node/wire"
	"astrolabe/starknet"
)

// StateUpdate returns the state update of a block. When requested by number, it
// may belong to another block than one read before: compare the hashes.
func (p *Pool) StateUpdate(ctx context.Context, id BlockID) (starknet.StateUpdate, error) {
	return ask(ctx, p, "starknet_getStateUpdate", []any{id}, func(result []byte) (starknet.StateUpdate, error) {
		update, err := wire.DecodeStateUpdate(result)
		if err == nil && id.hash != nil && *id.hash != update.BlockHash {
			err = fmt.Errorf("got the update of block %s, want %s", update.BlockHash, *id.hash)
		}
		return update, err
	})
}

// Class returns a declared class, from the first upstream whose definition has
// the hash. A Sierra class of another hash is a fault of the upstream,
// indexing.ErrInconsistent. A Cairo 0 class of another hash is none, because some
// nodes keep old ones in a form that no longer has their hash: if no upstream has
// a better one, Class returns it with chain.ErrUnprovenClass.
func (p *Pool) Class(ctx context.Context, id BlockID, hash starknet.Felt) (starknet.Class, error) {
	var unproven starknet.Class
	class, err := ask(ctx, p, "starknet_getClass", []any{id, hash}, func(result []byte) (starknet.Class, error) {
		var class starknet.Class
		if err := json.Unmarshal(result, &class); err != nil {
			return class, err
		}
		if class.Sierra == nil {
			unproven = class
		}
		got, err := class.Hash()
		switch {
		case class.Sierra == nil && err != nil:
			return class, fmt.Errorf("%w: %s: %w", chain.ErrUnprovenClass, hash, err)
		case class.Sierra == nil && got != hash:
			return class, fmt.Errorf("%w: %s hashes to %s", chain.ErrUnprovenClass, hash, got)
		case err == nil && got != hash:
			err = fmt.Errorf("%w: class %s hashes to %s", indexing.ErrInconsistent, hash, got)
		}
		return class, err
	})
	if errors.Is(err, chain.ErrUnprovenClass) {
		return unproven, err
	}
	return class, err
}

// ClassHashAt returns the class of a contract at a block.
func (p *Pool) ClassHashAt(ctx context.Context, id BlockID, contract starknet.Felt) (starknet.Felt, error) {
	return ask(ctx, p, "starknet_getClassHashAt", []any{id, contract}, wire.DecodeFelt)
}

// StorageAt returns the value of a contract's storage slot at a block.
func (p *Pool) StorageAt(ctx context.Context, id BlockID, contract, slot starknet.Felt) (starknet.Felt, error) {
	return ask(ctx, p, "starknet_getStorageAt", []any{contract, slot, id}, wire.DecodeFelt)
}

// Nonce returns the nonce of a contract at a block.
func (p *Pool) Nonce(ctx context.Context, id BlockID, contract starknet.Felt) (starknet.Felt, error) {
	return ask(ctx, p, "starknet_getNonce", []any{id, contract}, wire.DecodeFelt)
}

// Call calls a view of a contract on the state after a block. A revert is an
// *RPCError.
func (p *Pool) Call(ctx context.Context, id BlockID, contract, selector starknet.Felt, calldata ...starknet.Felt) ([]starknet.Felt, error) {
	if calldata == nil {
		calldata = []starknet.Felt{}
	}
	call := map[string]any{"contract_address": contract, "entry_point_selector": selector, "calldata": calldata}
	return ask(ctx, p, "starknet_call", []any{call, id}, wire.DecodeFelts)
}
