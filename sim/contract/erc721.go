package contract

import (
	"strconv"

	"astrolabe/sim/state"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varIssuer    = storageVariable("issuer")
	varBaseURI   = storageVariable("base_uri")
	varOwners    = storageVariable("owners")
	varApprovals = storageVariable("approvals")
	varOperators = storageVariable("operators")

	eventApprovalForAll = starknet.Selector("ApprovalForAll")
	interfaceERC721     = starknet.MustFelt("0x33eb2f84c309543403fd69f0d0f363781ef06ef6faeb0131ff16ea3175bd943")
	legacyURI           = starknet.MustShortString("sim://legacy/")
)

// collection is the behaviour of the two ERC-721 classes.
type collection struct{ keyed bool }

func itemOf(base variable, id vm.U256) starknet.Felt {
	low, high := id.Halves()
	return element(base, low, high)
}

func (n collection) event(c *vm.Call, selector, first, second starknet.Felt, id vm.U256) error {
	low, high := id.Halves()
	if n.keyed {
		return c.Emit([]starknet.Felt{selector, first, second, low, high}, nil)
	}
	return c.Emit([]starknet.Felt{selector}, []starknet.Felt{first, second, low, high})
}

// move changes the owner; the zero address means minting and burning.
func (n collection) move(c *vm.Call, from, to starknet.Felt, id vm.U256) error {
	if c.Load(itemOf(varOwners, id)) != from {
		return vm.Panic("ERC721: wrong sender")
	}
	if !from.IsZero() {
		if err := subU256(c, element(varBalances, from), vm.U64(1)); err != nil {
			return err
		}
	}
	if !to.IsZero() {
		if err := addU256(c, element(varBalances, to), vm.U64(1)); err != nil {
			return err
		}
	}
	c.Store(itemOf(varApprovals, id), starknet.Felt{})
	c.Store(itemOf(varOwners, id), to)
	return n.event(c, eventTransfer, from, to, id)
}

func (n collection) transferFrom(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	from, to, id := a.felt(), a.felt(), a.u256()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case c.Caller != from && c.Load(itemOf(varApprovals, id)) != c.Caller && c.Load(element(varOperators, from, c.Caller)).IsZero():
		return nil, vm.Panic("ERC721: unauthorized caller")
	case to.IsZero():
		return nil, vm.Panic("ERC721: invalid receiver")
	}
	return nil, n.move(c, from, to, id)
}

func (n collection) approve(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to, id := a.felt(), a.u256()
	owner := c.Load(itemOf(varOwners, id))
	switch {
	case a.done() != nil:
		return nil, a.done()
	case owner.IsZero():
		return nil, vm.Panic("ERC721: invalid token ID")
	case c.Caller != owner:
		return nil, vm.Panic("ERC721: unauthorized caller")
	}
	c.Store(itemOf(varApprovals, id), to)
	return nil, n.event(c, eventApproval, owner, to, id)
}

// setApprovalForAll is the same for ERC-721 and ERC-1155.
func setApprovalForAll(keyed bool) vm.Function {
	return func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		operator, approved := a.felt(), a.felt()
		if err := a.done(); err != nil {
			return nil, err
		}
		c.Store(element(varOperators, c.Caller, operator), approved)
		if keyed {
			return nil, c.Emit([]starknet.Felt{eventApprovalForAll, c.Caller, operator}, []starknet.Felt{approved})
		}
		return nil, c.Emit([]starknet.Felt{eventApprovalForAll}, []starknet.Felt{c.Caller, operator, approved})
	}
}

func (n collection) mint(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to, id := a.felt(), a.u256()
	switch {
	case a.done() != nil:
		return nil, a.done()
	case c.Caller != c.Load(varIssuer):
		return nil, vm.Panic("ERC721: only issuer")
	}
	return nil, n.move(c, starknet.Felt{}, to, id)
}

func (n collection) burn(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	id := a.u256()
	if err := a.done(); err != nil {
		return nil, err
	}
	return nil, n.move(c, c.Caller, starknet.Felt{}, id)
}

func ownerOf(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	owner := c.Load(itemOf(varOwners, a.u256()))
	if a.err == nil && owner.IsZero() {
		return nil, vm.Panic("ERC721: invalid token ID")
	}
	return []starknet.Felt{owner}, a.done()
}

func tokenURI(c *vm.Call) ([]starknet.Felt, error) {
	if _, err := ownerOf(c); err != nil {
		return nil, err
	}
	base, _, err := starknet.DecodeByteArray(loadText(c, varBaseURI))
	if err != nil {
		return nil, err
	}
	id, _ := c.Calldata[0].Uint64()
	return starknet.AppendByteArray(nil, strconv.AppendUint(base, id, 10)), nil
}

// legacyTokenURI returns a list of short strings.
func legacyTokenURI(c *vm.Call) ([]starknet.Felt, error) {
	if _, err := ownerOf(c); err != nil {
		return nil, err
	}
	return []starknet.Felt{starknet.FeltFromUint64(2), legacyURI, c.Calldata[0]}, nil
}

// erc721Legacy has texts in one felt, events without keys and the old spelling.
func erc721Legacy() *vm.Program {
	n := collection{}
	return vm.NewProgram(func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		c.Store(varName, a.felt())
		c.Store(varSymbol, a.felt())
		c.Store(varIssuer, a.felt())
		return nil, a.done()
	}, vm.Functions{
		"name": feltView(varName), "symbol": feltView(varSymbol),
		"tokenURI":  legacyTokenURI,
		"balanceOf": legacyToken.balanceOf, "ownerOf": ownerOf,
		"getApproved": mapView(varApprovals, 2), "isApprovedForAll": mapView(varOperators, 2),
		"supportsInterface": supports(interfaceSRC5, interfaceERC721), "supports_interface": supports(interfaceSRC5, interfaceERC721),
		"transferFrom": n.transferFrom, "approve": n.approve, "setApprovalForAll": setApprovalForAll(false),
		"mint": n.mint, "burn": n.burn,
	}, nil)
}

// erc721Keyed has ByteArray texts, keyed events and both spellings.
func erc721Keyed() *vm.Program {
	n := collection{keyed: true}
	return vm.NewProgram(func(c *vm.Call) ([]starknet.Felt, error) {
		a := argumentsOf(c)
		name, symbol, base, issuer := a.text(), a.text(), a.text(), a.felt()
		if err := a.done(); err != nil {
			return nil, err
		}
		storeText(c, varName, name)
		storeText(c, varSymbol, symbol)
		storeText(c, varBaseURI, base)
		c.Store(varIssuer, issuer)
		return nil, nil
	}, vm.Functions{
		"name": textView(varName), "symbol": textView(varSymbol), "token_uri": tokenURI, "tokenURI": tokenURI,
		"balance_of": legacyToken.balanceOf, "balanceOf": legacyToken.balanceOf, "owner_of": ownerOf, "ownerOf": ownerOf,
		"get_approved": mapView(varApprovals, 2), "is_approved_for_all": mapView(varOperators, 2),
		"supports_interface": supports(interfaceSRC5, interfaceERC721),
		"transfer_from":      n.transferFrom, "transferFrom": n.transferFrom,
		"approve": n.approve, "set_approval_for_all": setApprovalForAll(true),
		"mint": n.mint, "burn": n.burn,
	}, nil)
}

// OwnerOf reads the owner of an item of an ERC-721; zero if there is none.
func OwnerOf(on state.Reader, collection starknet.Felt, id vm.U256) starknet.Felt {
	return on.Read(state.StorageCell(collection, itemOf(varOwners, id)))
}
