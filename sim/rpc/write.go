package rpc

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// submit admits a client's transaction of the expected type.
func (s *Server) submit(p params, kind starknet.TransactionType) (*starknet.BroadcastedTransaction, starknet.Felt, error) {
	var b starknet.BroadcastedTransaction
	if err := required(p, 0, &b); err != nil {
		return nil, starknet.Felt{}, err
	}
	t := &b.Transaction
	switch {
	case t.Type != kind:
		return nil, starknet.Felt{}, invalidParams("the transaction's type is %q, expected is %s", t.Type, kind)
	case t.Version.Number != 3 || t.Version.Query:
		return nil, starknet.Felt{}, errVersion
	}
	if kind == starknet.Declare {
		if b.Class == nil {
			return nil, starknet.Felt{}, invalidParams("contract_class is missing")
		}
		if b.Class.ContractClassVersion != "0.1.0" {
			return nil, starknet.Felt{}, errClassVersion
		}
	}
	hash, err := s.chain.Submit(*t)
	if err == nil && b.Class != nil {
		s.library.Bring(&vm.Class{Hash: t.ClassHash, CompiledHash: t.CompiledClassHash, Document: starknet.Class{Sierra: b.Class}})
	}
	return &b, hash, err
}

// submitted is the response to a write.
type submitted struct {
	Hash            starknet.Felt  `json:"transaction_hash"`
	ClassHash       *starknet.Felt `json:"class_hash,omitempty"`
	ContractAddress *starknet.Felt `json:"contract_address,omitempty"`
}

func (s *Server) addInvoke(_ string, p params) (any, error) {
	_, hash, err := s.submit(p, starknet.Invoke)
	return submitted{Hash: hash}, err
}

func (s *Server) addDeclare(_ string, p params) (any, error) {
	b, hash, err := s.submit(p, starknet.Declare)
	if err != nil {
		return nil, err
	}
	return submitted{Hash: hash, ClassHash: &b.Transaction.ClassHash}, nil
}

func (s *Server) addDeployAccount(_ string, p params) (any, error) {
	b, hash, err := s.submit(p, starknet.DeployAccount)
	if err != nil {
		return nil, err
	}
	address := b.Transaction.DeployedAddress()
	return submitted{Hash: hash, ContractAddress: &address}, nil
}
