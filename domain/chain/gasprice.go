package chain

import "astrolabe/starknet"

// GasPrice is the price of one unit of gas in a block, nil in a fee token
// without a price.
type GasPrice struct {
	Wei, Fri *starknet.Uint256
}

// GasPriceOf reads a price as the header has it, nil when none was given. The
// oldest blocks have no price of some gas or in some unit, which a node writes
// as zero: gas was never free.
func GasPriceOf(p starknet.ResourcePrice) *GasPrice {
	if p.PriceInWei.IsZero() && p.PriceInFri.IsZero() {
		return nil
	}
	return &GasPrice{amountUnlessZero(p.PriceInWei), amountUnlessZero(p.PriceInFri)}
}

func amountUnlessZero(f starknet.Felt) *starknet.Uint256 {
	if f.IsZero() {
		return nil
	}
	return new(starknet.Uint256(f))
}
