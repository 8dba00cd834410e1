package node

import (
	"context"
	"encoding/json"
	"fmt"

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

// Class returns a declared class. A Sierra class of another hash is
// indexing.ErrInconsistent. A Cairo 0 class is not, because some nodes store old
// ones in a form that no longer hashes to their class hash.
func (p *Pool) Class(ctx context.Context, id BlockID, hash starknet.Felt) (starknet.Class, error) {
	return ask(ctx, p, "starknet_getClass", []any{id, hash}, func(result []byte) (starknet.Class, error) {
		var class starknet.Class
		if err := json.Unmarshal(result, &class); err != nil {
			return class, err
		}
		if class.Sierra != nil {
			switch got, err := class.Hash(); {
			case err != nil:
				return class, err
			case got != hash:
				return class, fmt.Errorf("%w: class %s hashes to %s", indexing.ErrInconsistent, hash, got)
			}
		}
		return class, nil
	})
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
