package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varL2Token = storageVariable("l2_token")

	eventOldDeposit  = starknet.Selector("deposit_handled")
	eventOldWithdraw = starknet.Selector("withdraw_initiated")
)

// tokenBridgeLegacy is a bridge for one token, whose events have no keys but
// the selector.
func tokenBridgeLegacy() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			c.Store(varL1Bridge, a.felt())
			c.Store(varL2Token, a.felt())
			return nil, a.done()
		},
		vm.Functions{
			"get_l1_bridge": feltView(varL1Bridge),
			"get_l2_token":  feltView(varL2Token),
			"initiate_withdraw": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				to, amount := a.felt(), a.u256()
				if err := a.done(); err != nil {
					return nil, err
				}
				low, high := amount.Halves()
				if _, err := c.Invoke(c.Load(varL2Token), callBurn, c.Caller, low, high); err != nil {
					return nil, err
				}
				c.SendToL1(c.Load(varL1Bridge), []starknet.Felt{{}, to, low, high})
				return nil, c.Emit([]starknet.Felt{eventOldWithdraw}, []starknet.Felt{to, low, high, c.Caller})
			},
		},
		vm.Functions{"handle_deposit": func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			from, to, amount := a.felt(), a.felt(), a.u256()
			if err := a.done(); err != nil {
				return nil, err
			}
			if err := fromBridge(c, from); err != nil {
				return nil, err
			}
			low, high := amount.Halves()
			if _, err := c.Invoke(c.Load(varL2Token), callMint, to, low, high); err != nil {
				return nil, err
			}
			return nil, c.Emit([]starknet.Felt{eventOldDeposit}, []starknet.Felt{to, low, high})
		}})
}
