package rpc

import (
	"encoding/json"
	"math/big"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// accountBalance is an amount of the smallest unit of a token.
type accountBalance struct {
	Amount string           `json:"amount"`
	Unit   starknet.FeeUnit `json:"unit"`
}

// balance reads how much of a unit an account has.
func (s *Server) balance(on state.Reader, header *starknet.PreConfirmedHeader, address starknet.Felt, unit starknet.FeeUnit) (accountBalance, error) {
	felts, err := vm.Read(s.library, on, header, s.devnet.Tokens[unit], starknet.Selector("balanceOf"), []starknet.Felt{address})
	if err != nil {
		return accountBalance{}, callError(err)
	}
	amount := new(big.Int).Lsh(felts[1].Big(), 128)
	return accountBalance{amount.Or(amount, felts[0].Big()).String(), unit}, nil
}

// readUnit reads an optional unit; fri by default.
func (s *Server) readUnit(p params, i int) (starknet.FeeUnit, error) {
	unit := starknet.Fri
	if err := optional(p, i, &unit); err != nil {
		return unit, err
	}
	if _, known := s.devnet.Tokens[unit]; !known {
		return unit, invalidParams("unknown unit %q, want WEI or FRI", unit)
	}
	return unit, nil
}

func (s *Server) devnetBalance(method string, p params) (result any, err error) {
	var address starknet.Felt
	id := blockID{tag: "latest"}
	if err := required(p, 0, &address); err != nil {
		return nil, err
	}
	unit, err := s.readUnit(p, 1)
	if err != nil {
		return nil, err
	}
	if err := optional(p, 2, &id); err != nil {
		return nil, err
	}
	err = s.readState(method, id, func(on state.Reader, header *starknet.PreConfirmedHeader) (err error) {
		result, err = s.balance(on, header, address, unit)
		return err
	})
	return result, err
}

// mint deposits an amount by a message from L1 in the next block.
func (s *Server) mint(_ string, p params) (any, error) {
	var address starknet.Felt
	var number json.Number
	if err := required(p, 0, &address); err != nil {
		return nil, err
	}
	if err := required(p, 1, &number); err != nil {
		return nil, err
	}
	unit, err := s.readUnit(p, 2)
	if err != nil {
		return nil, err
	}
	amount, ok := readAmount(number)
	if !ok {
		return nil, invalidParams("the amount %s of %s is not between 0 and 2^256 - 1", number, unit)
	}
	if s.devnet.Mint == nil {
		return nil, &Error{-32603, "Internal error", "a replayed chain cannot be changed"}
	}
	// Nonces of the script's messages are smaller.
	nonce := 1<<62 | s.chain.Head().Header.BlockNumber<<24 | s.minted.Add(1)&0xffffff
	hash, err := s.chain.Submit(s.devnet.Mint(unit, address, amount, nonce))
	if err != nil {
		return nil, err
	}
	var after accountBalance
	err = s.chain.ReadPreConfirmed(func(on state.Reader, header *starknet.PreConfirmedHeader) (err error) {
		after, err = s.balance(on, header, address, unit)
		return err
	})
	return map[string]any{"new_balance": after.Amount, "unit": unit, "tx_hash": hash}, err
}

// readAmount reads a number, which JavaScript may write with an exponent, and
// drops its fraction.
func readAmount(number json.Number) (vm.U256, bool) {
	value, _, err := big.ParseFloat(number.String(), 10, 512, big.ToZero)
	if err != nil || value.IsInf() || value.MantExp(nil) > 256 {
		return vm.U256{}, false
	}
	whole, _ := value.Int(nil)
	return vm.FromBig(whole)
}
