package contract

import (
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varL1Bridge   = storageVariable("l1_bridge")
	varTokenClass = storageVariable("token_class")
	varL2Tokens   = storageVariable("l2_tokens")
	varL1Tokens   = storageVariable("l1_tokens")

	eventDepositHandled     = starknet.Selector("DepositHandled")
	eventDepositWithMessage = starknet.Selector("DepositWithMessageHandled")
	eventWithdrawInitiated  = starknet.Selector("WithdrawInitiated")
	eventDeployHandled      = starknet.Selector("DeployHandled")

	callMint = starknet.Selector("permissioned_mint")
	callBurn = starknet.Selector("permissioned_burn")
)

// tokenBridge mints deposits from L1 and burns withdrawals, for many tokens.
func tokenBridge() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			c.Store(varL1Bridge, a.felt())
			c.Store(varTokenClass, a.felt())
			return nil, a.done()
		},
		vm.Functions{
			"get_l1_token":            mapView(varL1Tokens, 1),
			"get_l2_token":            mapView(varL2Tokens, 1),
			"initiate_token_withdraw": withdrawToken,
		},
		vm.Functions{
			"handle_token_deposit":        depositToken(false),
			"handle_deposit_with_message": depositToken(true),
			"handle_token_deployment":     deployToken,
		})
}

// BridgeCells returns the cells in which a bridge maps an L1 token to its L2
// token and back.
func BridgeCells(bridge, l1Token, l2Token starknet.Felt) (toL2, toL1 state.Cell) {
	return state.StorageCell(bridge, element(varL2Tokens, l1Token)), state.StorageCell(bridge, element(varL1Tokens, l2Token))
}

func fromBridge(c *vm.Call, from starknet.Felt) error {
	if from != c.Load(varL1Bridge) {
		return vm.Panic("EXPECTED_FROM_BRIDGE_ONLY")
	}
	return nil
}

// issue calls the mint or burn function of the L2 token of an L1 token.
func issue(c *vm.Call, function, l1Token, who starknet.Felt, amount vm.U256) error {
	token := c.Load(element(varL2Tokens, l1Token))
	if token.IsZero() {
		return vm.Panic("TOKEN_NOT_IN_BRIDGE")
	}
	low, high := amount.Halves()
	_, err := c.Invoke(token, function, who, low, high)
	return err
}

func withdrawToken(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	token, to, amount := a.felt(), a.felt(), a.u256()
	if err := a.done(); err != nil {
		return nil, err
	}
	if err := issue(c, callBurn, token, c.Caller, amount); err != nil {
		return nil, err
	}
	low, high := amount.Halves()
	c.SendToL1(c.Load(varL1Bridge), []starknet.Felt{{}, to, token, low, high})
	return nil, c.Emit([]starknet.Felt{eventWithdrawInitiated, token, to, c.Caller}, []starknet.Felt{low, high})
}

func depositToken(withMessage bool) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		from, token, depositor, to, amount := a.felt(), a.felt(), a.felt(), a.felt(), a.u256()
		var message []starknet.Felt
		if withMessage {
			message = a.felts()
		}
		if err := a.done(); err != nil {
			return nil, err
		}
		if err := fromBridge(c, from); err != nil {
			return nil, err
		}
		if err := issue(c, callMint, token, to, amount); err != nil {
			return nil, err
		}
		data := u256Felts(amount)
		if withMessage {
			data = append(append(data, starknet.FeltFromUint64(uint64(len(message)))), message...)
			return nil, c.Emit([]starknet.Felt{eventDepositWithMessage, depositor, token, to}, data)
		}
		return nil, c.Emit([]starknet.Felt{eventDepositHandled, token, to}, data)
	}
}

// deployToken creates the L2 side of an L1 token.
func deployToken(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	from, token, name, symbol, decimals := a.felt(), a.felt(), a.felt(), a.felt(), a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	if err := fromBridge(c, from); err != nil {
		return nil, err
	}
	if !c.Load(element(varL2Tokens, token)).IsZero() {
		return nil, vm.Panic("TOKEN_ALREADY_DEPLOYED")
	}
	address, err := c.Deploy(c.Load(varTokenClass), token, c.Address, []starknet.Felt{name, symbol, decimals, {}, {}, c.Address, c.Address})
	if err != nil {
		return nil, err
	}
	c.Store(element(varL2Tokens, token), address)
	c.Store(element(varL1Tokens, address), token)
	return nil, c.Emit([]starknet.Felt{eventDeployHandled, token, address}, []starknet.Felt{name, symbol, decimals})
}
