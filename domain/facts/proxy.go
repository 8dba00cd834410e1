package facts

import "astrolabe/starknet"

// Family is a family of Cairo 0 proxies, which keep the implementation that
// they execute in a storage slot of their own.
type Family string

// The families.
const (
	StarkGateAddress    Family = "starkgate_address"
	StarkGateClass      Family = "starkgate_class"
	OpenZeppelinClass   Family = "openzeppelin_class"
	OpenZeppelinAddress Family = "openzeppelin_address"
	WalletProxy         Family = "wallet"
)

// ProxyFamily is a family with the criteria by which its proxies are
// recognised. A class is a proxy if it is one of the reviewed classes, or if it
// is a Cairo 0 class whose ABI has __default__. A reviewed class keeps its
// implementation in the slot of its family, any other proxy in the only known
// slot that is set.
type ProxyFamily struct {
	Family Family
	// Slot is the storage slot of the implementation: the selector of the name
	// of its storage variable.
	Slot starknet.Felt
	// HoldsClass and HoldsContract say what the slot may hold: the hash of the
	// class that is executed, or a contract whose class is executed.
	HoldsClass, HoldsContract bool
	// Reviewed are classes whose program was seen to read the slot.
	Reviewed []starknet.Felt
}

// ProxyFamilies lists the known families. A family is stored as its position:
// new ones are only appended.
var ProxyFamilies = []ProxyFamily{
	{
		// The ETH token of Sepolia has this class; the state update of its block
		// 4 sets the slot to a contract that block 3 deployed.
		Family: StarkGateAddress, Slot: starknet.Selector("impl_address"), HoldsContract: true,
		Reviewed: []starknet.Felt{starknet.MustFelt("0xd0e183745e9dae3e4e78a8ffedcce0903fc4900beace4e0abf192d4c202da3")},
	},
	{Family: StarkGateClass, Slot: starknet.Selector("class_hash"), HoldsClass: true},
	{
		Family: OpenZeppelinClass, Slot: starknet.Selector("Proxy_implementation_hash"), HoldsClass: true,
		Reviewed: []starknet.Felt{starknet.MustFelt("0x1efa8f84fd4dff9e2902ec88717cf0dafc8c188f80c3450615944a469428f7f")},
	},
	{Family: OpenZeppelinAddress, Slot: starknet.Selector("Proxy_implementation_address"), HoldsContract: true},
	{Family: WalletProxy, Slot: starknet.Selector("_implementation"), HoldsClass: true, HoldsContract: true},
}

// The families by slot and by reviewed class.
var familyOfSlot, familyOfClass = func() (slots, classes map[starknet.Felt]*ProxyFamily) {
	slots, classes = map[starknet.Felt]*ProxyFamily{}, map[starknet.Felt]*ProxyFamily{}
	for i := range ProxyFamilies {
		slots[ProxyFamilies[i].Slot] = &ProxyFamilies[i]
		for _, hash := range ProxyFamilies[i].Reviewed {
			classes[hash] = &ProxyFamilies[i]
		}
	}
	return slots, classes
}()

// proxyDefault is the entry point that takes every call which a Cairo 0 class
// does not have.
var proxyDefault = starknet.Selector("__default__")

// SlotFamilies returns the families whose slots matter to a contract that has
// had the classes, oldest first: those of the class that has most.
func SlotFamilies(classes ...*Class) (families []ProxyFamily) {
	for _, class := range classes {
		if more := class.Families(); len(more) > len(families) {
			families = more
		}
	}
	return families
}

// Families returns the families whose slot may hold the implementation of the
// class; none if it is not a proxy.
func (c *Class) Families() []ProxyFamily {
	if c == nil || c.Sierra {
		return nil
	}
	if family := familyOfClass[c.Hash]; family != nil {
		return []ProxyFamily{*family}
	}
	if c.schema == nil || c.schema.Function(proxyDefault) == nil {
		return nil
	}
	return ProxyFamilies
}
