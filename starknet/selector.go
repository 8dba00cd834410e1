package starknet

// Keccak is Starknet's Keccak: the low 250 bits of Keccak256, so that it fits a felt.
func Keccak(data []byte) Felt {
	f := Felt(Keccak256(data))
	f[0] &= 0x03
	return f
}

// Selector returns the selector of a function, L1 handler or event. The two
// fallback entry points for unknown selectors have selector 0.
func Selector(name string) Felt {
	if name == "__default__" || name == "__l1_default__" {
		return Felt{}
	}
	return Keccak([]byte(name))
}
