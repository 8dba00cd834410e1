package sim

import (
	"astrolabe/sim/contract"
	"astrolabe/sim/economy"
	"astrolabe/sim/rpc"
	"astrolabe/starknet"
)

// Account is an account for clients, with its private key.
type Account = economy.Account

// Predeployed returns the accounts for clients.
func (n *Node) Predeployed() []Account { return n.predeployed }

// devnet configures the methods of starknet-devnet.
func (n *Node) devnet() rpc.Devnet {
	d := rpc.Devnet{
		Chain: n.network.Name, Seed: n.config.Seed, Genesis: n.config.Genesis, BlockTime: n.config.BlockTime,
		AccountClass: n.library.Named(contract.Account).Hash,
		InitialUnits: economy.InitialUnits,
		Tokens:       map[starknet.FeeUnit]starknet.Felt{starknet.Wei: n.network.Eth, starknet.Fri: n.network.Strk},
	}
	for _, a := range n.predeployed {
		d.Accounts = append(d.Accounts, rpc.Account{Address: a.Address, PublicKey: a.Key.Public(), PrivateKey: starknet.Felt(a.Key)})
	}
	if n.economy != nil {
		d.Mint = n.economy.Mint
	}
	return d
}
