package vm

import (
	"math/big"

	"astrolabe/starknet"
)

// The simplified cost formula: L2 gas for execution, L1 data gas for writes,
// and L1 gas only for messages.
const (
	gasPerTransaction = 400_000
	gasPerCall        = 60_000
	gasPerEvent       = 10_000
	gasPerFelt        = 200
	gasPerDeploy      = 250_000
	gasPerDeclare     = 5_000_000
	dataGasPerWrite   = 64
	l1GasPerMessage   = 18_000
)

// cost returns the resources that a run consumed.
func (r *run) cost() starknet.ExecutionResources {
	l2 := gasPerTransaction + gasPerCall*r.usage.calls + gasPerEvent*len(r.events) + gasPerDeploy*r.usage.deploys
	if t := r.transaction; t != nil {
		l2 += gasPerFelt * (len(t.Calldata) + len(t.ConstructorCalldata))
		if t.Type == starknet.Declare {
			l2 += gasPerDeclare
		}
	}
	return starknet.ExecutionResources{
		L1Gas:     uint64(l1GasPerMessage * len(r.messages)),
		L1DataGas: uint64(dataGasPerWrite * (r.usage.writes + 2)),
		L2Gas:     uint64(l2),
	}
}

// Fee returns the price of resources in the unit of the transaction's version: FRI from
// version 3 on, WEI before.
func Fee(used starknet.ExecutionResources, block *starknet.PreConfirmedHeader, version uint64) (starknet.Felt, starknet.FeeUnit) {
	unit := starknet.Wei
	price := func(p starknet.ResourcePrice) *big.Int { return p.PriceInWei.Big() }
	if version >= 3 {
		unit = starknet.Fri
		price = func(p starknet.ResourcePrice) *big.Int { return p.PriceInFri.Big() }
	}
	sum := new(big.Int)
	for _, part := range []struct {
		amount uint64
		price  starknet.ResourcePrice
	}{{used.L1Gas, block.L1GasPrice}, {used.L1DataGas, block.L1DataGasPrice}, {used.L2Gas, block.L2GasPrice}} {
		p := price(part.price)
		sum.Add(sum, p.Mul(p, new(big.Int).SetUint64(part.amount)))
	}
	fee, err := starknet.FeltFromBig(sum)
	if err != nil {
		panic(err) // 64-bit amounts times modest prices cannot exceed the field
	}
	return fee, unit
}

// MaxFee returns the most that a transaction may cost: its max fee before
// version 3, and the sum of its resource bounds from version 3 on.
func MaxFee(t *starknet.Transaction) *big.Int {
	if t.Version.Number < 3 {
		return t.MaxFee.Big()
	}
	sum := new(big.Int)
	for _, bound := range []starknet.ResourceBound{t.ResourceBounds.L1Gas, t.ResourceBounds.L1DataGas, t.ResourceBounds.L2Gas} {
		price := bound.MaxPricePerUnit.Felt().Big()
		sum.Add(sum, price.Mul(price, new(big.Int).SetUint64(uint64(bound.MaxAmount))))
	}
	return sum
}
