package rpc

import (
	"errors"

	"astrolabe/sim/chain"
	"astrolabe/sim/state"
	"astrolabe/starknet"
)

// maxProofItems limits a storage proof in total.
const maxProofItems = 1024

// proofNodes is always empty, because the simulated roots are not tries.
type proofNodes []struct{}

// contractLeaf is what the contracts root would cover for one contract.
type contractLeaf struct {
	Nonce     starknet.Felt `json:"nonce"`
	ClassHash starknet.Felt `json:"class_hash"`
}

// storageProof returns the leaves and roots of a block, without inner nodes.
func (s *Server) storageProof(method string, p params) (any, error) {
	var id blockID
	var classes, addresses []starknet.Felt
	var keys []struct {
		Address starknet.Felt   `json:"contract_address"`
		Keys    []starknet.Felt `json:"storage_keys"`
	}
	if err := required(p, 0, &id); err != nil {
		return nil, err
	}
	if err := errors.Join(optional(p, 1, &classes), optional(p, 2, &addresses), optional(p, 3, &keys)); err != nil {
		return nil, err
	}
	if id.preConfirmed() {
		return nil, invalidParams("a block in the making has no proof")
	}
	if len(classes)+len(addresses)+len(keys) > maxProofItems {
		return nil, invalidParams("more than %d items", maxProofItems)
	}
	b, err := s.sealed(method, id)
	if err != nil {
		return nil, err
	}
	leaves := make([]contractLeaf, 0, len(addresses))
	err = s.chain.ReadAt(b.Header.BlockNumber, func(view state.View, _ *chain.Block) error {
		for _, address := range addresses {
			leaves = append(leaves, contractLeaf{view.Read(state.NonceCell(address)), view.Read(state.ClassCell(address))})
		}
		return nil
	})
	if err != nil {
		return nil, errNoProof
	}
	storage := make([]proofNodes, len(keys))
	for i := range storage {
		storage[i] = proofNodes{}
	}
	return map[string]any{
		"classes_proof":            proofNodes{},
		"contracts_proof":          map[string]any{"nodes": proofNodes{}, "contract_leaves_data": leaves},
		"contracts_storage_proofs": storage,
		"global_roots": map[string]any{
			"contracts_tree_root": b.ContractsRoot, "classes_tree_root": b.ClassesRoot, "block_hash": b.Header.BlockHash,
		},
	}, nil
}

// casmEntry is an entry point of a compiled class.
type casmEntry struct {
	Selector starknet.Felt `json:"selector"`
	Offset   uint64        `json:"offset"`
	Builtins []string      `json:"builtins"`
}

// compiled returns the entry points of a declared class without bytecode.
func (s *Server) compiled(method string, p params) (result any, err error) {
	var hash starknet.Felt
	if err := required(p, 0, &hash); err != nil {
		return nil, err
	}
	err = s.readState(method, blockID{tag: "latest"}, func(on state.Reader, _ *starknet.PreConfirmedHeader) error {
		class, err := s.declared(on, hash)
		if err != nil || class.Document.Sierra == nil {
			return errClassNotFound
		}
		points := &class.Document.Sierra.EntryPointsByType
		result = map[string]any{
			"prime": "0x800000000000011000000000000000000000000000000000000000000000001", "compiler_version": "2.8.2",
			"bytecode": []starknet.Felt{}, "hints": []any{}, "bytecode_segment_lengths": []uint64{},
			"entry_points_by_type": map[string][]casmEntry{
				"CONSTRUCTOR": casmEntries(points.Constructor), "EXTERNAL": casmEntries(points.External), "L1_HANDLER": casmEntries(points.L1Handler),
			},
		}
		return nil
	})
	return result, err
}

func casmEntries(points []starknet.SierraEntryPoint) []casmEntry {
	entries := make([]casmEntry, len(points))
	for i, p := range points {
		entries[i] = casmEntry{p.Selector, p.FunctionIdx, []string{"range_check"}}
	}
	return entries
}
