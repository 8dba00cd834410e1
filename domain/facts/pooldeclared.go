package facts

import (
	"slices"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// poolDeclarations returns the selectors of variants that an ABI declares, and
// whether each is declared once and with its layout.
func poolDeclarations(schema *abi.Schema) map[starknet.Felt]bool {
	var declared map[starknet.Felt]bool
	for _, event := range schema.Events() {
		l := layoutsBySelector[event.Selectors[0]]
		if l == nil {
			continue
		}
		if declared == nil {
			declared = make(map[starknet.Felt]bool)
		}
		_, twice := declared[l.selector]
		declared[l.selector] = !twice && l.isDeclaredBy(event)
	}
	return declared
}

// isDeclaredBy reports whether an event of an ABI has the layout.
func (l *poolLayout) isDeclaredBy(event *abi.EventLayout) bool {
	if len(event.Selectors) != 1 || event.Unsupported() != nil {
		return false
	}
	var keys, data []abi.Param
	for _, param := range event.Params {
		if param.Source == abi.FromKeys {
			keys = append(keys, param)
		} else {
			data = append(data, param)
		}
	}
	return l.keys.areDeclaredBy(keys) && l.data.areDeclaredBy(data)
}

func (l poolFields) areDeclaredBy(params []abi.Param) bool {
	return slices.EqualFunc(l, params, func(field poolField, param abi.Param) bool {
		return field.name == param.Name && field.kind.is(param.Type)
	})
}

// is reports whether a type of an ABI is of the kind.
func (k poolKind) is(t *abi.Type) bool {
	switch k {
	case anAddress:
		return t.Shape == abi.ShapeContractAddress
	case aFelt:
		return t.Shape == abi.ShapeFelt
	case aU128:
		return t.Shape == abi.ShapeUint && t.Bits == 128
	case aU64:
		return t.Shape == abi.ShapeUint && t.Bits == 64
	case aBool:
		return t.Shape == abi.ShapeBool
	case aPolicy:
		return t.Shape == abi.ShapeEnum && hasMembers(t, abi.ShapeUnit)
	case threeFelts:
		return t.Shape == abi.ShapeStruct && hasMembers(t, abi.ShapeFelt)
	}
	return false
}

// hasMembers reports whether a type has three members of a shape.
func hasMembers(t *abi.Type, shape abi.Shape) bool {
	return len(t.Members) == 3 && !slices.ContainsFunc(t.Members, func(m abi.Member) bool { return m.Type.Shape != shape })
}
