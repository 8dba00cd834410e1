package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// cairo0Token is the first implementation of a bridged token, which runs behind
// a proxy. It has the storage of erc20_legacy, so that class can replace the
// proxy.
func cairo0Token() vm.Functions {
	f := legacyToken
	restricted := func(from bool) vm.Function {
		return func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			who, amount := a.felt(), a.u256()
			switch {
			case a.done() != nil:
				return nil, a.done()
			case c.Caller != c.Load(varMinter):
				return nil, vm.Panic("MINTER_ONLY")
			case from:
				return nil, f.move(c, who, starknet.Felt{}, amount)
			}
			return nil, f.move(c, starknet.Felt{}, who, amount)
		}
	}
	return vm.Functions{
		"name": feltView(varName), "symbol": feltView(varSymbol), "decimals": feltView(varDecimals),
		"totalSupply": u256View(f.supply), "balanceOf": f.balanceOf, "allowance": allowance, "permittedMinter": feltView(varMinter),
		"transfer": f.transfer, "transferFrom": f.transferFrom, "approve": f.approve,
		"permissionedMint": restricted(false), "permissionedBurn": restricted(true),
		"initialize": initializeToken,
	}
}

func erc20Cairo0() *vm.Program { return vm.NewProgram(nil, cairo0Token(), nil) }

// erc20Cairo0V2 is the second implementation, which can replace the proxy by a
// plain class.
func erc20Cairo0V2() *vm.Program {
	return vm.NewProgram(nil, with(cairo0Token(), vm.Functions{
		"get_version": constant(starknet.FeltFromUint64(2)),
		"replace_class": func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			class := a.felt()
			switch {
			case a.done() != nil:
				return nil, a.done()
			case c.Caller != c.Load(varGovernor):
				return nil, vm.Panic("ONLY_GOVERNOR")
			}
			return nil, c.ReplaceClass(class)
		},
	}), nil)
}

// initializeToken stores name, symbol, decimals and minter.
func initializeToken(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	vector := a.felts()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case len(vector) != 4:
		return nil, vm.Panic("ILLEGAL_INIT_SIZE")
	case !c.Load(varMinter).IsZero():
		return nil, vm.Panic("ALREADY_INITIALIZED")
	}
	for i, key := range []variable{varName, varSymbol, varDecimals, varMinter} {
		c.Store(key, vector[i])
	}
	return nil, nil
}

// cairo0Collection is an ERC-721 that runs behind a proxy and upgrades it.
func cairo0Collection() vm.Functions {
	n := collection{}
	return vm.Functions{
		"initializer": func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			for _, key := range []variable{varName, varSymbol, varIssuer, varProxyAdmin} {
				c.Store(key, a.felt())
			}
			if err := a.done(); err != nil {
				return nil, err
			}
			return nil, c.Emit(names("AdminChanged"), []starknet.Felt{{}, c.Load(varProxyAdmin)})
		},
		"name": feltView(varName), "symbol": feltView(varSymbol), "tokenURI": legacyTokenURI,
		"balanceOf": legacyToken.balanceOf, "ownerOf": ownerOf,
		"getApproved": mapView(varApprovals, 2), "isApprovedForAll": mapView(varOperators, 2),
		"supportsInterface": supports(interfaceERC165, interfaceERC721Cairo0),
		"transferFrom":      n.transferFrom, "approve": n.approve, "setApprovalForAll": setApprovalForAll(false),
		"mint": n.mint, "burn": n.burn,
		"upgrade": func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			class := a.felt()
			switch {
			case a.done() != nil:
				return nil, a.done()
			case c.Caller != c.Load(varProxyAdmin):
				return nil, vm.Panic("Proxy: caller is not admin")
			}
			return nil, setImplementation(c, class)
		},
	}
}

// The interfaces of Cairo 0 have the numbers of Ethereum.
var (
	interfaceERC165       = starknet.FeltFromUint64(0x01ffc9a7)
	interfaceERC721Cairo0 = starknet.FeltFromUint64(0x80ac58cd)
)

func erc721Cairo0() *vm.Program { return vm.NewProgram(nil, cairo0Collection(), nil) }

func erc721Cairo0V2() *vm.Program {
	return vm.NewProgram(nil, with(cairo0Collection(), vm.Functions{"version": constant(starknet.FeltFromUint64(2))}), nil)
}
