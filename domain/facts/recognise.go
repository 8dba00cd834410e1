package facts

import (
	"strings"

	"astrolabe/starknet/abi"
)

// recognise returns the token layout of an event, or nil if it is not a
// standard transfer: exactly a sender, a recipient and one u256 for Transfer,
// and for the events of ERC-1155 an operator, both parties, and IDs and
// amounts, each with a name that identifies its role.
//
// A Transfer moves an amount or a token ID, depending on the name of its third
// field. There is no layout if the class is of the other standard; if the name
// is inconclusive, the class decides.
func recognise(l *abi.EventLayout, class Standard) *tokenLayout {
	t := &tokenLayout{selectors: l.Selectors}
	if len(l.Selectors) > 2 || l.Unsupported() != nil || !t.assign(l.Params, class) {
		return nil
	}
	var roles [tokenIDs + 1]int
	for _, list := range [2][]place{t.keys, t.data} {
		for _, p := range list {
			roles[p.role]++
		}
	}
	switch {
	case l.Name == "TransferSingle" && roles == [...]int{operator: 1, sender: 1, recipient: 1, tokenID: 1, amount: 1, tokenIDs: 0}:
		t.standard = ERC1155
	case l.Name == "TransferBatch" && roles == [...]int{operator: 1, sender: 1, recipient: 1, amounts: 1, tokenIDs: 1}:
		t.standard = ERC1155
	case l.Name == "Transfer" && roles == [...]int{sender: 1, recipient: 1, amount: 1, tokenIDs: 0} && class != ERC721:
		t.standard = ERC20
	case l.Name == "Transfer" && roles == [...]int{sender: 1, recipient: 1, tokenID: 1, tokenIDs: 0} && class != ERC20:
		t.standard = ERC721
	default:
		return nil
	}
	return t
}

// assign gives every parameter its place and reports whether all have one.
func (l *tokenLayout) assign(params []abi.Param, class Standard) bool {
	for i := range params {
		p := &params[i]
		if i+1 < len(params) && params[i+1].Type.Shape == abi.ShapePointer && p.Name == params[i+1].Name+"_len" {
			continue // the length of Cairo 0's array, which follows
		}
		found := place{roleOf(p, class), p.Type.Shape == abi.ShapeContractAddress}
		if found.role == noRole {
			return false
		}
		if p.Source == abi.FromKeys {
			l.keys = append(l.keys, found)
		} else {
			l.data = append(l.data, found)
		}
	}
	return true
}

// roleNames are the names under which contracts have the roles, in lower case
// and without underscores.
var roleNames = map[string]role{
	"operator": operator, "caller": operator,
	"from": sender, "fromaddress": sender, "sender": sender, "src": sender,
	"to": recipient, "toaddress": recipient, "recipient": recipient, "receiver": recipient, "dst": recipient,
	"value": amount, "amount": amount, "wad": amount, "values": amounts, "amounts": amounts,
	"id": tokenID, "tokenid": tokenID, "ids": tokenIDs, "tokenids": tokenIDs,
}

// nameRole returns the role that a parameter's name has; noRole if it has none.
func nameRole(p *abi.Param) role {
	name := p.Name[strings.LastIndexByte(p.Name, '.')+1:] // of a field inside a nested struct
	return roleNames[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
}

// roleOf returns the role of a parameter by its name, if its type fits. A
// number with any other name is the quantity of the class's standard.
func roleOf(p *abi.Param, class Standard) role {
	r := nameRole(p)
	switch {
	case r == noRole && class == ERC20:
		r = amount
	case r == noRole && class == ERC721:
		r = tokenID
	}
	fits := false
	switch t := p.Type; r {
	case operator, sender, recipient:
		fits = t.Shape == abi.ShapeContractAddress || t.Shape == abi.ShapeFelt
	case amount, tokenID:
		fits = t.Shape == abi.ShapeU256
	case amounts, tokenIDs:
		fits = (t.Shape == abi.ShapeArray || t.Shape == abi.ShapePointer) && t.Elem.Shape == abi.ShapeU256
	}
	if !fits {
		return noRole
	}
	return r
}
