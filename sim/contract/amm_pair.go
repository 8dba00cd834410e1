package contract

import (
	"math/big"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varToken0    = storageVariable("token0")
	varToken1    = storageVariable("token1")
	varReserve0  = storageVariable("reserve0")
	varReserve1  = storageVariable("reserve1")
	varUpdatedAt = storageVariable("updated_at")
	varSupply    = storageVariable("supply")
	varShares    = storageVariable("shares")

	eventPoolMint = starknet.Selector("Mint")
	eventPoolBurn = starknet.Selector("Burn")
	eventPoolSwap = starknet.Selector("Swap")
	eventPoolSync = starknet.Selector("Sync")

	callBalanceOf    = starknet.Selector("balance_of")
	callTransfer     = starknet.Selector("transfer")
	callTransferFrom = starknet.Selector("transfer_from")

	pairShares = fungible{supply: varSupply, balances: varShares}
)

// ammPair is a constant-product pool whose shares are a token.
func ammPair() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			c.Store(varToken0, a.felt())
			c.Store(varToken1, a.felt())
			return nil, a.done()
		},
		vm.Functions{
			"name":         constant(starknet.MustShortString("Pair shares")),
			"symbol":       constant(starknet.MustShortString("PAIR")),
			"decimals":     constant(starknet.FeltFromUint64(18)),
			"total_supply": u256View(varSupply),
			"balance_of":   pairShares.balanceOf,
			"transfer":     pairShares.transfer,
			"token0":       feltView(varToken0),
			"token1":       feltView(varToken1),
			"get_reserves": func(c *vm.Call) ([]starknet.Felt, error) {
				reserves := append(u256Felts(loadU256(c, varReserve0)), u256Felts(loadU256(c, varReserve1))...)
				return append(reserves, c.Load(varUpdatedAt)), nil
			},
			"mint": pairMint,
			"burn": pairBurn,
			"swap": pairSwap,
			"sync": func(c *vm.Call) ([]starknet.Felt, error) {
				return nil, synchronise(c)
			},
		}, nil)
}

// holding reads the pool's balance of one of its tokens.
func holding(c *vm.Call, token variable) (vm.U256, error) {
	result, err := c.Invoke(c.Load(token), callBalanceOf, c.Address)
	if err != nil {
		return vm.U256{}, err
	}
	if len(result) != 2 {
		return vm.U256{}, vm.Panic("Returned data too short")
	}
	balance, _ := vm.FromHalves(result[0], result[1])
	return balance, nil
}

func holdings(c *vm.Call) (balance0, balance1 vm.U256, err error) {
	if balance0, err = holding(c, varToken0); err != nil {
		return balance0, balance1, err
	}
	balance1, err = holding(c, varToken1)
	return balance0, balance1, err
}

// synchronise writes the holdings as the new reserves.
func synchronise(c *vm.Call) error {
	balance0, balance1, err := holdings(c)
	if err != nil {
		return err
	}
	storeU256(c, varReserve0, balance0)
	storeU256(c, varReserve1, balance1)
	c.Store(varUpdatedAt, starknet.FeltFromUint64(c.Block().Timestamp))
	return c.Emit([]starknet.Felt{eventPoolSync}, append(u256Felts(balance0), u256Felts(balance1)...))
}

// pairMint issues shares for the tokens that were sent to the pair since the
// last call.
func pairMint(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to := a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	balance0, balance1, err := holdings(c)
	if err != nil {
		return nil, err
	}
	reserve0, reserve1, supply := loadU256(c, varReserve0), loadU256(c, varReserve1), loadU256(c, varSupply)
	in0, fits0 := balance0.Sub(reserve0)
	in1, fits1 := balance1.Sub(reserve1)
	if !fits0 || !fits1 {
		return nil, vm.Panic("u256_sub Overflow")
	}
	liquidity, err := newShares(in0, in1, reserve0, reserve1, supply)
	if err != nil {
		return nil, err
	}
	if err := pairShares.move(c, starknet.Felt{}, to, liquidity); err != nil {
		return nil, err
	}
	if err := synchronise(c); err != nil {
		return nil, err
	}
	data := append(append([]starknet.Felt{c.Caller}, u256Felts(in0)...), u256Felts(in1)...)
	return u256Felts(liquidity), c.Emit([]starknet.Felt{eventPoolMint}, data)
}

// newShares is the square root of the first deposit's product, later the smaller share.
func newShares(in0, in1, reserve0, reserve1, supply vm.U256) (vm.U256, error) {
	if supply.IsZero() {
		product := new(big.Int).Mul(in0.Big(), in1.Big())
		return positive(product.Sqrt(product))
	}
	share0, share1 := share(in0, supply, reserve0), share(in1, supply, reserve1)
	if share0.Cmp(share1) > 0 {
		share0 = share1
	}
	return positive(share0)
}

// share returns amount · supply / total.
func share(amount, supply, total vm.U256) *big.Int {
	product := new(big.Int).Mul(amount.Big(), supply.Big())
	if total.IsZero() {
		return new(big.Int)
	}
	return product.Div(product, total.Big())
}

func positive(v *big.Int) (vm.U256, error) {
	value, fits := vm.FromBig(v)
	if !fits || value.IsZero() {
		return vm.U256{}, vm.Panic("insufficient liquidity minted")
	}
	return value, nil
}

// pairBurn pays out the shares that were sent to the pair.
func pairBurn(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to := a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	balance0, balance1, err := holdings(c)
	if err != nil {
		return nil, err
	}
	returned, supply := loadU256(c, element(varShares, c.Address)), loadU256(c, varSupply)
	if returned.IsZero() {
		return nil, vm.Panic("nothing to burn")
	}
	out0, _ := vm.FromBig(share(returned, balance0, supply))
	out1, _ := vm.FromBig(share(returned, balance1, supply))
	if err := pairShares.move(c, c.Address, starknet.Felt{}, returned); err != nil {
		return nil, err
	}
	if err := payOut(c, to, out0, out1); err != nil {
		return nil, err
	}
	if err := synchronise(c); err != nil {
		return nil, err
	}
	amounts := append(u256Felts(out0), u256Felts(out1)...)
	data := append(append([]starknet.Felt{c.Caller}, amounts...), to)
	return amounts, c.Emit([]starknet.Felt{eventPoolBurn}, data)
}

func payOut(c *vm.Call, to starknet.Felt, out0, out1 vm.U256) error {
	for _, part := range []struct {
		token  variable
		amount vm.U256
	}{{varToken0, out0}, {varToken1, out1}} {
		if part.amount.IsZero() {
			continue
		}
		low, high := part.amount.Halves()
		if _, err := c.Invoke(c.Load(part.token), callTransfer, to, low, high); err != nil {
			return err
		}
	}
	return nil
}

// pairSwap pays out the requested amounts if the tokens that were sent before
// keep the product of the reserves, after a fee of three per mille.
func pairSwap(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	out0, out1, to := a.u256(), a.u256(), a.felt()
	if err := a.done(); err != nil {
		return nil, err
	}
	reserve0, reserve1 := loadU256(c, varReserve0), loadU256(c, varReserve1)
	if out0.Cmp(reserve0) >= 0 || out1.Cmp(reserve1) >= 0 {
		return nil, vm.Panic("insufficient liquidity")
	}
	if err := payOut(c, to, out0, out1); err != nil {
		return nil, err
	}
	balance0, balance1, err := holdings(c)
	if err != nil {
		return nil, err
	}
	rest0, _ := reserve0.Sub(out0)
	rest1, _ := reserve1.Sub(out1)
	in0, fits0 := balance0.Sub(rest0)
	in1, fits1 := balance1.Sub(rest1)
	if !fits0 || !fits1 || !keepsProduct(reserve0, reserve1, balance0, balance1, in0, in1) {
		return nil, vm.Panic("invariant K")
	}
	if err := synchronise(c); err != nil {
		return nil, err
	}
	data := []starknet.Felt{c.Caller}
	for _, amount := range []vm.U256{in0, in1, out0, out1} {
		data = append(data, u256Felts(amount)...)
	}
	return nil, c.Emit([]starknet.Felt{eventPoolSwap}, append(data, to))
}

func keepsProduct(reserve0, reserve1, balance0, balance1, in0, in1 vm.U256) bool {
	thousand := big.NewInt(1000)
	less := func(balance, in vm.U256) *big.Int {
		b := new(big.Int).Mul(balance.Big(), thousand)
		return b.Sub(b, new(big.Int).Mul(in.Big(), big.NewInt(3)))
	}
	before := new(big.Int).Mul(reserve0.Big(), reserve1.Big())
	before.Mul(before, big.NewInt(1_000_000))
	after := new(big.Int).Mul(less(balance0, in0), less(balance1, in1))
	return after.Cmp(before) >= 0
}

// Shares reads an owner's balance of a pair's shares.
func Shares(on state.Reader, pair, owner starknet.Felt) vm.U256 {
	cell := element(varShares, owner)
	value, _ := vm.FromHalves(on.Read(state.StorageCell(pair, cell)), on.Read(state.StorageCell(pair, next(cell))))
	return value
}
