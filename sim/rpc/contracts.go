package rpc

import (
	"slices"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// addressed reads a block id and an address from the arguments and calls f with
// the state.
func (s *Server) addressed(method string, p params, id, address int, f func(on state.Reader, address starknet.Felt) error) error {
	block, felt, err := blockAndFelt(p, id, address)
	if err != nil {
		return err
	}
	return s.readState(method, block, func(on state.Reader, _ *starknet.PreConfirmedHeader) error { return f(on, felt) })
}

// classified is addressed for methods that only read classes.
func (s *Server) classified(method string, p params, f func(on state.Reader, felt starknet.Felt) error) error {
	block, felt, err := blockAndFelt(p, 0, 1)
	if err != nil {
		return err
	}
	return s.readClasses(method, block, func(on state.Reader) error { return f(on, felt) })
}

func blockAndFelt(p params, id, at int) (block blockID, felt starknet.Felt, err error) {
	if err = required(p, id, &block); err == nil {
		err = required(p, at, &felt)
	}
	return block, felt, err
}

func exists(on state.Reader, address starknet.Felt) error {
	if on.Read(state.ClassCell(address)).IsZero() {
		return errContractNotFound
	}
	return nil
}

func (s *Server) nonce(method string, p params) (result any, err error) {
	err = s.addressed(method, p, 0, 1, func(on state.Reader, address starknet.Felt) error {
		result = on.Read(state.NonceCell(address))
		return exists(on, address)
	})
	return result, err
}

func (s *Server) classHashAt(method string, p params) (result any, err error) {
	err = s.classified(method, p, func(on state.Reader, address starknet.Felt) error {
		result = on.Read(state.ClassCell(address))
		return exists(on, address)
	})
	return result, err
}

func (s *Server) classAt(method string, p params) (result any, err error) {
	err = s.classified(method, p, func(on state.Reader, address starknet.Felt) error {
		if err := exists(on, address); err != nil {
			return err
		}
		class, ok := s.library.Class(on.Read(state.ClassCell(address)))
		if !ok {
			return errClassNotFound
		}
		result = class.Document
		return nil
	})
	return result, err
}

func (s *Server) class(method string, p params) (result any, err error) {
	err = s.classified(method, p, func(on state.Reader, hash starknet.Felt) error {
		class, err := s.declared(on, hash)
		if err == nil {
			result = class.Document
		}
		return err
	})
	return result, err
}

// declared returns a class that is declared in a state.
func (s *Server) declared(on state.Reader, hash starknet.Felt) (*vm.Class, error) {
	class, ok := s.library.Class(hash)
	if !ok || on.Read(state.DeclaredCell(hash)).IsZero() {
		return nil, errClassNotFound
	}
	return class, nil
}

func (s *Server) storageAt(method string, p params) (result any, err error) {
	var key starknet.Felt
	var flags []string
	if err := required(p, 1, &key); err != nil {
		return nil, err
	}
	if err := optional(p, 3, &flags); err != nil {
		return nil, err
	}
	err = s.addressed(method, p, 2, 0, func(on state.Reader, address starknet.Felt) error {
		if err := exists(on, address); err != nil {
			return err
		}
		cell := state.StorageCell(address, key)
		result = on.Read(cell)
		if slices.Contains(flags, "INCLUDE_LAST_UPDATE_BLOCK") {
			result = withUpdate(on, cell)
		}
		return nil
	})
	return result, err
}

// updatedValue is the specification's STORAGE_RESULT.
type updatedValue struct {
	Value   starknet.Felt `json:"value"`
	Updated uint64        `json:"last_update_block"`
}

// withUpdate adds the block that wrote a cell, if it is in the retained
// history.
func withUpdate(on state.Reader, cell state.Cell) updatedValue {
	if view, ok := on.(state.View); ok {
		value, block := view.Updated(cell)
		return updatedValue{value, block}
	}
	return updatedValue{Value: on.Read(cell)}
}

func (s *Server) callContract(method string, p params) (any, error) {
	var call functionCall
	var id blockID
	if err := required(p, 0, &call); err != nil {
		return nil, err
	}
	if err := required(p, 1, &id); err != nil {
		return nil, err
	}
	result := []starknet.Felt{}
	err := s.readState(method, id, func(on state.Reader, header *starknet.PreConfirmedHeader) error {
		felts, err := vm.Read(s.library, on, header, call.ContractAddress, call.EntryPointSelector, call.Calldata)
		if err != nil {
			return callError(err)
		}
		result = append(result, felts...)
		return nil
	})
	return result, err
}
