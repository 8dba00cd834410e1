package contract

import (
	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varName        = storageVariable("name")
	varSymbol      = storageVariable("symbol")
	varDecimals    = storageVariable("decimals")
	varOwner       = storageVariable("owner")
	varMinter      = storageVariable("permitted_minter")
	varTotalSupply = storageVariable("total_supply")
	varBalances    = storageVariable("balances")
	varAllowances  = storageVariable("allowances")

	eventTransfer = starknet.Selector("Transfer")
	eventApproval = starknet.Selector("Approval")
)

// fungible is the behaviour that the ERC-20 classes share.
type fungible struct {
	keyed            bool // the parties of an event are keys
	supply, balances variable
}

// The two ERC-20 classes, and the shares of a pair.
var (
	legacyToken = fungible{supply: varTotalSupply, balances: varBalances}
	keyedToken  = fungible{keyed: true, supply: varTotalSupply, balances: varBalances}
)

func (f fungible) event(c *vm.Call, selector, first, second starknet.Felt, amount vm.U256) error {
	low, high := amount.Halves()
	if f.keyed {
		return c.Emit([]starknet.Felt{selector, first, second}, []starknet.Felt{low, high})
	}
	return c.Emit([]starknet.Felt{selector}, []starknet.Felt{first, second, low, high})
}

// move moves tokens between accounts; the zero address means minting and burning.
func (f fungible) move(c *vm.Call, from, to starknet.Felt, amount vm.U256) error {
	var err error
	if from.IsZero() {
		err = addU256(c, f.supply, amount)
	} else {
		err = subU256(c, element(f.balances, from), amount)
	}
	if err != nil {
		return err
	}
	if to.IsZero() {
		err = subU256(c, f.supply, amount)
	} else {
		err = addU256(c, element(f.balances, to), amount)
	}
	if err != nil {
		return err
	}
	return f.event(c, eventTransfer, from, to, amount)
}

func (f fungible) transfer(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to, amount := a.felt(), a.u256()
	if err := a.done(); err != nil {
		return nil, err
	}
	return flag(true), f.move(c, c.Caller, to, amount)
}

func (f fungible) transferFrom(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	from, to, amount := a.felt(), a.felt(), a.u256()
	if err := a.done(); err != nil {
		return nil, err
	}
	if subU256(c, element(varAllowances, from, c.Caller), amount) != nil {
		return nil, vm.Panic("Insufficient ERC20 allowance")
	}
	return flag(true), f.move(c, from, to, amount)
}

func (f fungible) approve(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	spender, amount := a.felt(), a.u256()
	if err := a.done(); err != nil {
		return nil, err
	}
	storeU256(c, element(varAllowances, c.Caller, spender), amount)
	return flag(true), f.event(c, eventApproval, c.Caller, spender, amount)
}

func (f fungible) balanceOf(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	owner := a.felt()
	return u256Felts(loadU256(c, element(f.balances, owner))), a.done()
}

func allowance(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	owner, spender := a.felt(), a.felt()
	return u256Felts(loadU256(c, element(varAllowances, owner, spender))), a.done()
}

// both returns the functions that the classes have in both spellings.
func (f fungible) both() vm.Functions {
	return vm.Functions{
		"decimals":      feltView(varDecimals),
		"total_supply":  u256View(f.supply),
		"totalSupply":   u256View(f.supply),
		"balance_of":    f.balanceOf,
		"balanceOf":     f.balanceOf,
		"allowance":     allowance,
		"transfer":      f.transfer,
		"transfer_from": f.transferFrom,
		"transferFrom":  f.transferFrom,
		"approve":       f.approve,
	}
}

// erc20Legacy is a bridged token, which its minter mints and burns.
func erc20Legacy() *vm.Program {
	f := legacyToken
	restricted := func(act func(c *vm.Call, who starknet.Felt, amount vm.U256) error) vm.Function {
		return func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			who, amount := a.felt(), a.u256()
			switch {
			case a.done() != nil:
				return nil, a.done()
			case c.Caller != c.Load(varMinter):
				return nil, vm.Panic("MINTER_ONLY")
			}
			return nil, act(c, who, amount)
		}
	}
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			name, symbol, decimals, supply, recipient, minter := a.felt(), a.felt(), a.felt(), a.u256(), a.felt(), a.felt()
			if err := a.done(); err != nil {
				return nil, err
			}
			c.Store(varName, name)
			c.Store(varSymbol, symbol)
			c.Store(varDecimals, decimals)
			c.Store(varMinter, minter)
			if supply.IsZero() {
				return nil, nil
			}
			return nil, f.move(c, starknet.Felt{}, recipient, supply)
		},
		with(f.both(), vm.Functions{
			"name":             feltView(varName),
			"symbol":           feltView(varSymbol),
			"permitted_minter": feltView(varMinter),
			"permissioned_mint": restricted(func(c *vm.Call, who starknet.Felt, amount vm.U256) error {
				return f.move(c, starknet.Felt{}, who, amount)
			}),
			"permissioned_burn": restricted(func(c *vm.Call, who starknet.Felt, amount vm.U256) error {
				return f.move(c, who, starknet.Felt{}, amount)
			}),
		}), nil)
}

// erc20Keyed is a modern token: keyed events, texts as ByteArray, an owner who
// mints.
func erc20Keyed() *vm.Program {
	f := keyedToken
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			name, symbol, decimals, supply, recipient, owner := a.text(), a.text(), a.felt(), a.u256(), a.felt(), a.felt()
			if err := a.done(); err != nil {
				return nil, err
			}
			storeText(c, varName, name)
			storeText(c, varSymbol, symbol)
			c.Store(varDecimals, decimals)
			c.Store(varOwner, owner)
			return nil, f.move(c, starknet.Felt{}, recipient, supply)
		},
		with(f.both(), vm.Functions{
			"name":   textView(varName),
			"symbol": textView(varSymbol),
			"mint": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				to, amount := a.felt(), a.u256()
				switch {
				case a.done() != nil:
					return nil, a.done()
				case c.Caller != c.Load(varOwner):
					return nil, vm.Panic("ERC20: only owner")
				}
				return nil, f.move(c, starknet.Felt{}, to, amount)
			},
			"burn": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				amount := a.u256()
				if err := a.done(); err != nil {
					return nil, err
				}
				return nil, f.move(c, c.Caller, starknet.Felt{}, amount)
			},
		}), nil)
}

// Balance reads an owner's balance of an ERC-20.
func Balance(on state.Reader, token, owner starknet.Felt) vm.U256 {
	cell := element(varBalances, owner)
	value, _ := vm.FromHalves(on.Read(state.StorageCell(token, cell)), on.Read(state.StorageCell(token, next(cell))))
	return value
}
