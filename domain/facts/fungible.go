package facts

import (
	"slices"
	"strings"
)

// FungibleLayout names the layout of the class's Transfer events. It is true
// for an ERC-20 whose ABI fixes that layout: whatever of the ABI is a transfer
// by its keys moves an amount and can mean nothing else. Classes of equal names
// read the same transfers out of the same events.
func (c *Class) FungibleLayout() (name string, fixed bool) {
	if c.Standard != ERC20 {
		return "", false
	}
	var names []string
	for _, layouts := range c.transfers {
		for _, l := range layouts {
			switch {
			case !isCandidate(l.layout.Selectors):
			case l.token == nil || l.token.standard != ERC20:
				return "", false
			default:
				names = append(names, l.token.name())
			}
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "; "), len(names) > 0
}

// roleTexts name the roles that an ERC-20's transfer has.
var roleTexts = map[role]string{sender: "from", recipient: "to", amount: "amount"}

// name describes a layout: its first keys, then the fields in the keys and in
// the data. A validated address differs from a felt.
func (l *tokenLayout) name() string {
	var text strings.Builder
	for _, selector := range l.selectors {
		text.WriteString(selector.String() + " ")
	}
	for _, list := range [2][]place{l.keys, l.data} {
		text.WriteByte('(')
		for _, p := range list {
			text.WriteString(roleTexts[p.role])
			if p.address {
				text.WriteByte('!')
			}
			text.WriteByte(' ')
		}
		text.WriteByte(')')
	}
	return text.String()
}
