package rpc

import (
	"math/big"
	"time"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Devnet configures the methods that the simulated node shares with
// starknet-devnet.
type Devnet struct {
	Chain        string
	Seed         uint64
	Genesis      time.Time
	BlockTime    time.Duration
	AccountClass starknet.Felt
	Accounts     []Account
	// InitialUnits is how many ETH and STRK each account got.
	InitialUnits uint64
	// Tokens are the token contracts by unit.
	Tokens map[starknet.FeeUnit]starknet.Felt
	// Mint returns a message from L1 that deposits an amount; nil if nothing
	// can be minted.
	Mint func(unit starknet.FeeUnit, to starknet.Felt, amount vm.U256, nonce uint64) starknet.Transaction
}

// Account is an account for clients.
type Account struct {
	Address    starknet.Felt `json:"address"`
	PublicKey  starknet.Felt `json:"public_key"`
	PrivateKey starknet.Felt `json:"private_key"`
}

func (s *Server) initialBalance() string {
	units := new(big.Int).SetUint64(s.devnet.InitialUnits)
	return units.Mul(units, big.NewInt(1e18)).String()
}

func (s *Server) devnetConfig(string, params) (any, error) {
	d := &s.devnet
	generation := "demand"
	if d.BlockTime > 0 {
		generation = d.BlockTime.String()
	}
	h := s.chain.PreConfirmed().Header
	return map[string]any{
		"chain_id": d.Chain, "seed": d.Seed, "total_accounts": len(d.Accounts), "account_contract_class_hash": d.AccountClass,
		"predeployed_accounts_initial_balance": s.initialBalance(), "start_time": d.Genesis.Unix(),
		"gas_price_wei": h.L1GasPrice.PriceInWei, "gas_price_fri": h.L1GasPrice.PriceInFri,
		"data_gas_price_wei": h.L1DataGasPrice.PriceInWei, "data_gas_price_fri": h.L1DataGasPrice.PriceInFri,
		"l2_gas_price_wei": h.L2GasPrice.PriceInWei, "l2_gas_price_fri": h.L2GasPrice.PriceInFri,
		"block_generation_on": generation, "state_archive": "full", "lite_mode": false,
	}, nil
}

func (s *Server) predeployedAccounts(_ string, p params) (any, error) {
	var withBalance bool
	if err := optional(p, 0, &withBalance); err != nil {
		return nil, err
	}
	type balances struct {
		Eth  accountBalance `json:"eth"`
		Strk accountBalance `json:"strk"`
	}
	type described struct {
		InitialBalance string `json:"initial_balance"`
		Account
		Balance *balances `json:"balance,omitempty"`
	}
	all := make([]described, len(s.devnet.Accounts))
	for i, a := range s.devnet.Accounts {
		all[i] = described{InitialBalance: s.initialBalance(), Account: a}
		if !withBalance {
			continue
		}
		var b balances
		err := s.chain.ReadPreConfirmed(func(on state.Reader, header *starknet.PreConfirmedHeader) (err error) {
			if b.Eth, err = s.balance(on, header, a.Address, starknet.Wei); err == nil {
				b.Strk, err = s.balance(on, header, a.Address, starknet.Fri)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		all[i].Balance = &b
	}
	return all, nil
}
