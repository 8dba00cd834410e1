package contract

import (
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

var (
	varURIs = storageVariable("uris")

	eventTransferSingle = starknet.Selector("TransferSingle")
	eventTransferBatch  = starknet.Selector("TransferBatch")
	eventURI            = starknet.Selector("URI")
	interfaceERC1155    = starknet.MustFelt("0x6114a8f75559e1b39fcba08ce02961a1aa082d9256a158dd3e64964e4b1b52")
)

// erc1155 is many tokens in one contract, moved one at a time or in batches.
func erc1155() *vm.Program {
	return vm.NewProgram(
		func(c *vm.Call) ([]starknet.Felt, error) {
			a := argumentsOf(c)
			c.Store(varIssuer, a.felt())
			return nil, a.done()
		},
		vm.Functions{
			"balance_of":               itemBalance,
			"balance_of_batch":         itemBalances,
			"safe_transfer_from":       moveItem,
			"safe_batch_transfer_from": moveBatch,
			"set_approval_for_all":     setApprovalForAll(true),
			"is_approved_for_all":      mapView(varOperators, 2),
			"uri": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				id := a.u256()
				return loadText(c, itemOf(varURIs, id)), a.done()
			},
			"supports_interface": supports(interfaceSRC5, interfaceERC1155),
			"mint":               issueItem,
			"batch_mint":         issueBatch,
			"burn": func(c *vm.Call) ([]starknet.Felt, error) {
				a := argumentsOf(c)
				id, value := a.u256(), a.u256()
				if err := a.done(); err != nil {
					return nil, err
				}
				return nil, single(c, c.Caller, starknet.Felt{}, id, value)
			},
			"set_uri": setURI,
		}, nil)
}

func itemCell(id vm.U256, owner starknet.Felt) starknet.Felt {
	low, high := id.Halves()
	return element(varBalances, low, high, owner)
}

func itemBalance(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	owner, id := a.felt(), a.u256()
	return u256Felts(loadU256(c, itemCell(id, owner))), a.done()
}

func itemBalances(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	owners, ids := a.felts(), a.u256s()
	if a.err == nil && len(owners) != len(ids) {
		return nil, vm.Panic("ERC1155: no equal array length")
	}
	balances := []starknet.Felt{starknet.FeltFromUint64(uint64(len(ids)))}
	for i, id := range ids {
		balances = append(balances, u256Felts(loadU256(c, itemCell(id, owners[i])))...)
	}
	return balances, a.done()
}

// value moves an amount of one token without an event.
func value(c *vm.Call, from, to starknet.Felt, id, amount vm.U256) error {
	if !from.IsZero() {
		if err := subU256(c, itemCell(id, from), amount); err != nil {
			return err
		}
	}
	if to.IsZero() {
		return nil
	}
	return addU256(c, itemCell(id, to), amount)
}

func single(c *vm.Call, from, to starknet.Felt, id, amount vm.U256) error {
	if err := value(c, from, to, id, amount); err != nil {
		return err
	}
	return c.Emit([]starknet.Felt{eventTransferSingle, c.Caller, from, to}, append(u256Felts(id), u256Felts(amount)...))
}

func batch(c *vm.Call, from, to starknet.Felt, ids, amounts []vm.U256) error {
	if len(ids) != len(amounts) {
		return vm.Panic("ERC1155: no equal array length")
	}
	for i, id := range ids {
		if err := value(c, from, to, id, amounts[i]); err != nil {
			return err
		}
	}
	return c.Emit([]starknet.Felt{eventTransferBatch, c.Caller, from, to}, appendU256s(appendU256s(nil, ids), amounts))
}

// mayMove allows the owner and their operators.
func mayMove(c *vm.Call, from starknet.Felt) error {
	if c.Caller != from && c.Load(element(varOperators, from, c.Caller)).IsZero() {
		return vm.Panic("ERC1155: unauthorized operator")
	}
	return nil
}

func moveItem(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	from, to, id, amount := a.felt(), a.felt(), a.u256(), a.u256()
	_ = a.felts() // data for the receiver, which is ignored
	if err := a.done(); err != nil {
		return nil, err
	}
	if err := mayMove(c, from); err != nil {
		return nil, err
	}
	return nil, single(c, from, to, id, amount)
}

func moveBatch(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	from, to, ids, amounts := a.felt(), a.felt(), a.u256s(), a.u256s()
	_ = a.felts()
	if err := a.done(); err != nil {
		return nil, err
	}
	if err := mayMove(c, from); err != nil {
		return nil, err
	}
	return nil, batch(c, from, to, ids, amounts)
}

func onlyIssuer(c *vm.Call, a *arguments) error {
	if err := a.done(); err != nil {
		return err
	}
	if c.Caller != c.Load(varIssuer) {
		return vm.Panic("ERC1155: only issuer")
	}
	return nil
}

func issueItem(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to, id, amount := a.felt(), a.u256(), a.u256()
	if err := onlyIssuer(c, a); err != nil {
		return nil, err
	}
	return nil, single(c, starknet.Felt{}, to, id, amount)
}

func issueBatch(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	to, ids, amounts := a.felt(), a.u256s(), a.u256s()
	if err := onlyIssuer(c, a); err != nil {
		return nil, err
	}
	return nil, batch(c, starknet.Felt{}, to, ids, amounts)
}

func setURI(c *vm.Call) ([]starknet.Felt, error) {
	a := argumentsOf(c)
	id, text := a.u256(), a.text()
	if err := onlyIssuer(c, a); err != nil {
		return nil, err
	}
	storeText(c, itemOf(varURIs, id), text)
	low, high := id.Halves()
	return nil, c.Emit([]starknet.Felt{eventURI, low, high}, starknet.AppendByteArray(nil, text))
}
