package facts

import "astrolabe/starknet"

// Call is one of the calls that an account makes for its owner.
type Call struct {
	To       starknet.Felt
	Selector starknet.Felt
	Calldata []starknet.Felt // aliases the transaction's
}

// Calls returns the account calls of an INVOKE of version 1 or later. Calldata
// has one of two layouts:
//
//	Cairo 1: count, then per call: to, selector, length, calldata
//	Cairo 0: count, then per call: to, selector, offset, length;
//	         then the length of all calldata, and all calldata
//
// Every felt must belong to the layout, and in that of Cairo 0 the calls must
// cover the calldata in order and without gaps, as every wallet writes it. If
// both layouts fit, it is that of Cairo 0: the other one would call addresses
// as small as a length, which no contract has. It is false if neither fits, as
// for accounts with a custom layout.
func Calls(tx *Transaction) ([]Call, bool) {
	form, n := formOf(tx)
	if form == unknownForm {
		return nil, false
	}
	list := make([]Call, 0, n)
	form.read(tx.Calldata, n, func(to, selector *starknet.Felt, calldata []starknet.Felt) {
		list = append(list, Call{*to, *selector, calldata})
	})
	return list, true
}

// callForm is the way in which an account reads its calldata.
type callForm uint8

const (
	unknownForm callForm = iota
	cairo0Form
	cairo1Form
)

// formOf returns the form of a transaction's calldata and the number of its
// calls.
func formOf(tx *Transaction) (callForm, int) {
	if tx.Type != starknet.Invoke || tx.Version == 0 || len(tx.Calldata) == 0 {
		return unknownForm, 0
	}
	n, ok := tx.Calldata[0].Count((len(tx.Calldata) - 1) / 3) // a call takes three felts at least
	if !ok {
		return unknownForm, 0
	}
	ignore := func(_, _ *starknet.Felt, _ []starknet.Felt) {}
	for _, form := range [...]callForm{cairo0Form, cairo1Form} {
		if form.read(tx.Calldata, n, ignore) {
			return form, n
		}
	}
	return unknownForm, 0
}

// read reads n calls and reports whether the felts are of this form. It passes
// each call that it reads to found, also when it fails in the end.
func (form callForm) read(felts []starknet.Felt, n int, found func(to, selector *starknet.Felt, calldata []starknet.Felt)) bool {
	if form == cairo0Form {
		return readCairo0(felts, n, found)
	}
	return readCairo1(felts, n, found)
}

func readCairo0(felts []starknet.Felt, n int, found func(to, selector *starknet.Felt, calldata []starknet.Felt)) bool {
	start := 1 + 4*n + 1 // of the calldata
	if len(felts) < start {
		return false
	}
	calldata := felts[start:]
	next := 0
	for i := range n {
		call := felts[1+4*i : 5+4*i]
		offset, ok := call[2].Count(next)
		length, fits := call[3].Count(len(calldata) - next)
		if !ok || offset != next || !fits {
			return false
		}
		found(&call[0], &call[1], calldata[next:next+length:next+length])
		next += length
	}
	total, ok := felts[start-1].Count(next)
	return ok && total == next && next == len(calldata)
}

func readCairo1(felts []starknet.Felt, n int, found func(to, selector *starknet.Felt, calldata []starknet.Felt)) bool {
	rest := felts[1:]
	for range n {
		if len(rest) < 3 {
			return false
		}
		length, ok := rest[2].Count(len(rest) - 3)
		if !ok {
			return false
		}
		found(&rest[0], &rest[1], rest[3:3+length:3+length])
		rest = rest[3+length:]
	}
	return len(rest) == 0
}
