package contract

import (
	"math/big"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varPoolClass    = storageVariable("pool_class")
	varTickSpacings = storageVariable("tick_spacings")
	varPools        = storageVariable("pools")
	varFee          = storageVariable("fee")
	varTickSpacing  = storageVariable("tick_spacing")
	varSqrtRatio    = storageVariable("sqrt_ratio")
	varTick         = storageVariable("tick")
	varLiquidity    = storageVariable("liquidity")
	varPositions    = storageVariable("positions")

	eventPoolCreated      = starknet.Selector("PoolCreated")
	eventFeeAmountEnabled = starknet.Selector("FeeAmountEnabled")
	eventInitialized      = starknet.Selector("Initialized")
	eventPositionUpdated  = starknet.Selector("PositionUpdated")
	eventSwapped          = starknet.Selector("Swapped")
)

// clmmFactory creates concentrated-liquidity pools, one for each two tokens and
// fee.
func clmmFactory() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			c.Store(varOwner, a.felt())
			c.Store(varPoolClass, a.felt())
			return nil, a.done()
		},
		vm.Functions{
			"enable_fee_amount": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				fee, spacing := a.felt(), a.felt()
				switch {
				case a.done() != nil:
					return nil, a.done()
				case c.Caller != c.Load(varOwner):
					return nil, vm.Panic("only owner")
				}
				c.Store(element(varTickSpacings, fee), spacing)
				return nil, c.Emit([]starknet.Felt{eventFeeAmountEnabled, fee, spacing}, nil)
			},
			"create_pool": createPool,
			"get_pool":    mapView(varPools, 3),
		}, nil)
}

func createPool(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	token0, token1, fee := a.felt(), a.felt(), a.felt()
	spacing, known := c.Load(element(varTickSpacings, fee)), element(varPools, token0, token1, fee)
	switch {
	case a.done() != nil:
		return nil, a.done()
	case spacing.IsZero():
		return nil, vm.Panic("fee not enabled")
	case !c.Load(known).IsZero():
		return nil, vm.Panic("pool exists")
	}
	pool, err := c.Deploy(c.Load(varPoolClass), addFelts(token0, token1), c.Address, []starknet.Felt{token0, token1, fee, spacing})
	if err != nil {
		return nil, err
	}
	c.Store(known, pool)
	return []starknet.Felt{pool}, c.Emit([]starknet.Felt{eventPoolCreated, token0, token1, fee}, []starknet.Felt{spacing, pool})
}

// addFelts adds in the field.
func addFelts(a, b starknet.Felt) starknet.Felt {
	sum := new(big.Int).Add(a.Big(), b.Big())
	f, _ := starknet.FeltFromBig(sum.Mod(sum, starknet.Prime()))
	return f
}

// PoolOf reads the pool of two tokens at a fee; zero if there is none.
func PoolOf(on state.Reader, factory, token0, token1, fee starknet.Felt) starknet.Felt {
	return on.Read(state.StorageCell(factory, element(varPools, token0, token1, fee)))
}

// clmmPool records the balances of a pool; its callers compute prices and
// amounts.
func clmmPool() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			for _, key := range []variable{varToken0, varToken1, varFee, varTickSpacing} {
				c.Store(key, a.felt())
			}
			return nil, a.done()
		},
		vm.Functions{
			"get_pool_key": func(c *vm.Call) ([]starknet.Felt, error) {
				return []starknet.Felt{c.Load(varToken0), c.Load(varToken1), c.Load(varFee), c.Load(varTickSpacing)}, nil
			},
			"get_pool_price": func(c *vm.Call) ([]starknet.Felt, error) {
				return append(u256Felts(loadU256(c, varSqrtRatio)), c.Load(varTick)), nil
			},
			"get_pool_liquidity":     feltView(varLiquidity),
			"get_position_liquidity": mapView(varPositions, 4),
			"initialize": func(c *vm.Call) ([]starknet.Felt, error) {
				if !loadU256(c, varSqrtRatio).IsZero() {
					return nil, vm.Panic("already initialized")
				}
				a := argumentsOf(c)
				price := a.price(c)
				if err := a.done(); err != nil {
					return nil, err
				}
				return nil, c.Emit([]starknet.Felt{eventInitialized}, price)
			},
			"update_position": updatePosition,
			"swap":            clmmSwap,
		}, nil)
}

// price reads a PoolPrice and stores it.
func (a *arguments) price(c *vm.Call) []starknet.Felt {
	ratio, tick := a.u256(), a.felt()
	storeU256(c, varSqrtRatio, ratio)
	c.Store(varTick, tick)
	return append(u256Felts(ratio), tick)
}

// signed is a Signed amount: magnitude and sign.
func signed(amount vm.U256, negative bool) []starknet.Felt {
	return append(u256Felts(amount)[:1:1], flag(negative)...)
}

func updatePosition(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	salt, lower, upper := a.felt(), a.felt(), a.felt()
	liquidity, negative, amount0, amount1 := a.u128(), !a.felt().IsZero(), a.u128(), a.u128()
	if err := a.done(); err != nil {
		return nil, err
	}
	change, settle := addU256, take
	if negative {
		change, settle = subU256, pay
	}
	for _, cell := range []starknet.Felt{element(varPositions, c.Caller, salt, lower, upper), varLiquidity} {
		if err := change(c, cell, liquidity); err != nil {
			return nil, err
		}
	}
	if err := settle(c, varToken0, c.Caller, amount0); err != nil {
		return nil, err
	}
	if err := settle(c, varToken1, c.Caller, amount1); err != nil {
		return nil, err
	}
	data := append([]starknet.Felt{lower, upper}, signed(liquidity, negative)...)
	data = append(append(data, signed(amount0, negative)...), signed(amount1, negative)...)
	return nil, c.Emit([]starknet.Felt{eventPositionUpdated, c.Caller, salt}, data)
}

func clmmSwap(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to, zeroForOne, in, out := a.felt(), !a.felt().IsZero(), a.u128(), a.u128()
	price := a.price(c)
	if err := a.done(); err != nil {
		return nil, err
	}
	paid, received := varToken0, varToken1
	delta := append(signed(in, false), signed(out, true)...)
	if !zeroForOne {
		paid, received = varToken1, varToken0
		delta = append(signed(out, true), signed(in, false)...)
	}
	if err := take(c, paid, c.Caller, in); err != nil {
		return nil, err
	}
	if err := pay(c, received, to, out); err != nil {
		return nil, err
	}
	data := append(append(delta, price...), c.Load(varLiquidity))
	return nil, c.Emit([]starknet.Felt{eventSwapped, c.Caller, to}, data)
}

// take transfers tokens of the pair from an account to the pool; pay is the
// reverse.
func take(c *vm.Call, token variable, from starknet.Felt, amount vm.U256) error {
	low, high := amount.Halves()
	_, err := c.Invoke(c.Load(token), callTransferFrom, from, c.Address, low, high)
	return err
}

func pay(c *vm.Call, token variable, to starknet.Felt, amount vm.U256) error {
	low, high := amount.Halves()
	_, err := c.Invoke(c.Load(token), callTransfer, to, low, high)
	return err
}
