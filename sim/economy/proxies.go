package economy

import (
	"astrolabe/sim/contract"
	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// declareProxies declares the first Cairo 0 classes, by transactions of versions
// 1 and 0. The latter are not signed.
func (t *turn) declareProxies() {
	for _, name := range []string{contract.ProxyStarkGate, contract.ProxyOpenZeppelin, contract.ERC20Cairo0} {
		t.declare(t.treasury(), name)
	}
	t.add(starknet.Transaction{
		Type: starknet.Declare, SenderAddress: starknet.FeltFromUint64(1), ClassHash: t.classes.Named(contract.ERC721Cairo0).Hash,
		Signature: []starknet.Felt{},
	})
}

func (t *turn) declareSecondImplementations() {
	t.declare(t.treasury(), contract.ERC20Cairo0V2)
	t.declare(t.treasury(), contract.ERC721Cairo0V2)
}

// deployProxies deploys two tokens behind proxies of StarkGate and a collection
// behind one of OpenZeppelin.
func (t *turn) deployProxies() {
	delay := starknet.Felt{}
	t.openProxy(t.deploy(t.governor(), true, "proxied DAI", contract.ProxyStarkGate, delay), "Dai Stablecoin", "DAI")
	t.openProxy(t.deployPlainly("proxied FRAX", contract.ProxyStarkGate, delay), "Frax", "FRAX")
	admin := t.governor().address
	calldata := []starknet.Felt{
		t.classes.Named(contract.ERC721Cairo0).Hash, selector("initializer"), starknet.FeltFromUint64(4),
		starknet.MustShortString("Proxied Stars"), starknet.MustShortString("PSTAR"), t.issuer().address, admin,
	}
	t.deploy(t.issuer(), true, "proxied collection", contract.ProxyOpenZeppelin, calldata...)
}

// deployPlainly deploys a contract by a DEPLOY transaction, which nobody signs.
func (t *turn) deployPlainly(name, class string, calldata ...starknet.Felt) starknet.Felt {
	tx := starknet.Transaction{
		Type: starknet.Deploy, ClassHash: t.classes.Named(class).Hash, ContractAddressSalt: t.felt(), ConstructorCalldata: calldata,
	}
	if t.add(tx) == nil {
		return starknet.Felt{}
	}
	t.name(name, class, tx.DeployedAddress())
	return tx.DeployedAddress()
}

// openProxy gives a proxy its governor, its first implementation and its supply.
func (t *turn) openProxy(proxy starknet.Felt, name, symbol string) {
	governor, issuer := t.governor(), t.issuer()
	t.invoke(governor, call{proxy, "init_governance", nil})
	t.upgradeStarkGate(proxy, contract.ERC20Cairo0,
		starknet.MustShortString(name), starknet.MustShortString(symbol), starknet.FeltFromUint64(18), issuer.address)
	t.invoke(issuer, call{proxy, "permissionedMint", felts(t.treasury().address, u256(amount(1_000_000, 18)))})
}

// upgradeStarkGate adds an implementation and upgrades to it.
func (t *turn) upgradeStarkGate(proxy starknet.Felt, class string, initial ...starknet.Felt) {
	data := []starknet.Felt{t.classes.Named(class).Hash, {}, starknet.FeltFromUint64(uint64(len(initial)))}
	data = append(append(data, initial...), starknet.Felt{})
	t.invoke(t.governor(), call{proxy, "add_implementation", data})
	t.invoke(t.governor(), call{proxy, "upgrade_to", data})
}

// useProxies transfers tokens and items through the proxies, also to accounts
// that receive nothing else.
func (t *turn) useProxies() {
	treasury, issuer := t.treasury(), t.issuer()
	for _, name := range []string{"proxied DAI", "proxied FRAX"} {
		token, user := t.find(name), t.someone()
		t.invoke(treasury,
			transfer(token, user.address, amount(1+t.b.Rand.Uint64N(100), 18)),
			transfer(token, t.felt(), amount(1+t.b.Rand.Uint64N(100), 18)))
		t.invoke(user, transfer(token, t.someone().address, t.fraction(token, user.address, 10)))
	}
	t.memory.proxied += 2
	first, second := u256(vm.U64(t.memory.proxied-1)), u256(vm.U64(t.memory.proxied))
	stars := t.find("proxied collection")
	t.invoke(issuer,
		call{stars, "mint", felts(issuer.address, first)},
		call{stars, "mint", felts(t.someone().address, second)},
		call{stars, "transferFrom", felts(issuer.address, []starknet.Felt{t.felt()}, first)})
}

// upgradeProxies changes the implementations within a block that uses both.
func (t *turn) upgradeProxies() {
	t.useProxies()
	t.upgradeStarkGate(t.find("proxied DAI"), contract.ERC20Cairo0V2)
	t.upgradeStarkGate(t.find("proxied FRAX"), contract.ERC20Cairo0V2)
	t.invoke(t.governor(), call{t.find("proxied collection"), "upgrade", []starknet.Felt{t.classes.Named(contract.ERC721Cairo0V2).Hash}})
	t.useProxies()
}

// replaceProxy makes a proxy a plain contract, whose storage keeps the slot of
// the implementation.
func (t *turn) replaceProxy() {
	t.invoke(t.governor(), call{t.find("proxied FRAX"), "replace_class", []starknet.Felt{t.classes.Named(contract.ERC20Legacy).Hash}})
}
