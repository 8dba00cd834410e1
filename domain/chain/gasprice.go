package chain

import (
	"astrolabe/starknet"
	"astrolabe/starknet/commitment"
)

// GasPrice is the price of one unit of gas in a block, nil in a fee token
// without a price.
type GasPrice struct {
	Wei, Fri *starknet.Uint256
}

// The Starknet versions that introduced prices: fees in FRI, gas for data on L1,
// and L2 gas.
const (
	firstWithFri       = "0.13.0"
	firstWithL1DataGas = "0.13.1"
	firstWithL2Gas     = "0.13.4"
)

// L1GasPrice returns the price of L1 gas, nil if the block has none.
func (b *Block) L1GasPrice() *GasPrice { return b.price(b.L1Gas) }

// L1DataGasPrice returns the price of L1 data gas, nil if the block has none.
func (b *Block) L1DataGasPrice() *GasPrice {
	if !b.since(firstWithL1DataGas) {
		return nil
	}
	return b.price(b.L1DataGas)
}

// L2GasPrice returns the price of L2 gas, nil if the block has none.
func (b *Block) L2GasPrice() *GasPrice {
	if !b.since(firstWithL2Gas) {
		return nil
	}
	return b.price(b.L2Gas)
}

// price decides what is a fact of a price in the header. A node writes 0 or 1
// where the block has no price, but 1 wei is also the least price of data on L1:
// it counts if the price in FRI beside it is another.
func (b *Block) price(p starknet.ResourcePrice) *GasPrice {
	var price GasPrice
	if !p.PriceInWei.IsZero() {
		price.Wei = new(starknet.Uint256(p.PriceInWei))
	}
	if !p.PriceInFri.IsZero() && b.since(firstWithFri) {
		price.Fri = new(starknet.Uint256(p.PriceInFri))
	}
	if placeholder(price.Wei) && placeholder(price.Fri) {
		return nil
	}
	return &price
}

// placeholder reports whether a price, seen alone, is absent or 1.
func placeholder(price *starknet.Uint256) bool {
	return price == nil || starknet.Felt(*price) == starknet.FeltFromUint64(1)
}

// since reports whether the block is of a Starknet version or a later one. A
// block without a version is older than all of them.
func (b *Block) since(version string) bool { return commitment.SinceVersion(b.Version, version) }
