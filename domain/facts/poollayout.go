package facts

import (
	"slices"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// poolLayout is the payload of a variant: its fields in the keys after the
// selector, and those in the data.
type poolLayout struct {
	variant    PoolVariant
	name       string // in the event enum of the class
	keys, data poolFields
	selector   starknet.Felt
}

type poolFields []poolField

// poolField is a field of a payload: its name and its type in the ABI, and what
// of a PoolEvent it is.
type poolField struct {
	name  string
	kind  poolKind
	gives poolRole
}

// poolRole is the field of a PoolEvent that a field of the payload gives.
type poolRole uint8

const (
	givesNothing poolRole = iota
	givesParty
	givesToken
	givesAmount
	givesNote
)

// poolKind is the type of a field.
type poolKind uint8

const (
	anAddress poolKind = iota // ContractAddress
	aFelt                     // felt252
	aU128
	aU64
	aBool
	aPolicy    // an enum of three variants without content
	threeFelts // a struct of what is encrypted for the auditor
)

// poolLayouts are the events of the pool's classes, from its source
// (packages/privacy/src/events.cairo).
var poolLayouts = []poolLayout{
	{
		variant: ViewingKeySet, name: "ViewingKeySet",
		keys: poolFields{{"user_addr", anAddress, givesParty}, {"public_key", aFelt, givesNothing}},
		data: poolFields{{"enc_private_key", threeFelts, givesNothing}},
	},
	{
		variant: PoolDeposit, name: "Deposit",
		keys: poolFields{{"user_addr", anAddress, givesParty}, {"token", anAddress, givesToken}},
		data: poolFields{{"amount", aU128, givesAmount}},
	},
	{
		variant: PoolWithdrawal, name: "Withdrawal",
		keys: poolFields{{"to_addr", anAddress, givesParty}, {"token", anAddress, givesToken}},
		data: poolFields{{"enc_user_addr", threeFelts, givesNothing}, {"amount", aU128, givesAmount}},
	},
	{
		variant: OpenNoteCreated, name: "OpenNoteCreated",
		keys: poolFields{{"token", anAddress, givesToken}, {"note_id", aFelt, givesNote}},
		data: poolFields{{"enc_recipient_addr", threeFelts, givesNothing}},
	},
	{
		variant: OpenNoteDeposited, name: "OpenNoteDeposited",
		keys: poolFields{{"depositor", anAddress, givesParty}, {"token", anAddress, givesToken}, {"note_id", aFelt, givesNote}},
		data: poolFields{{"amount", aU128, givesAmount}},
	},
	{
		variant: EncNoteCreated, name: "EncNoteCreated",
		keys: poolFields{{"note_id", aFelt, givesNote}},
		data: poolFields{{"packed_value", aFelt, givesNothing}},
	},
	{
		variant: NoteUsed, name: "NoteUsed",
		keys: poolFields{{"nullifier", aFelt, givesNote}},
	},
	{
		variant: ExternalContractInvoked, name: "ExternalContractInvoked",
		keys: poolFields{{"contract_address", anAddress, givesParty}, {"selector", aFelt, givesNothing}},
	},
	{
		variant: AuditorPublicKeySet, name: "AuditorPublicKeySet",
		data: poolFields{{"auditor_public_key", aFelt, givesNothing}},
	},
	{
		variant: ScreenerPublicKeySet, name: "ScreenerPublicKeySet",
		data: poolFields{{"screener_public_key", aFelt, givesNothing}},
	},
	{
		variant: FeeAmountSet, name: "FeeAmountSet",
		data: poolFields{{"fee_amount", aU128, givesAmount}},
	},
	{
		variant: FeeCollectorSet, name: "FeeCollectorSet",
		data: poolFields{{"fee_collector", anAddress, givesParty}},
	},
	{
		variant: ProofValidityBlocksSet, name: "ProofValidityBlocksSet",
		data: poolFields{{"proof_validity_blocks", aU64, givesNothing}},
	},
	{
		variant: OpenNoteDepositorBlockSet, name: "OpenNoteDepositorBlockSet",
		keys: poolFields{{"depositor", anAddress, givesParty}},
		data: poolFields{{"blocked", aBool, givesNothing}},
	},
	{
		variant: OpenNoteScreeningPolicySet, name: "OpenNoteScreeningPolicySet",
		keys: poolFields{{"depositor", anAddress, givesParty}},
		data: poolFields{{"policy", aPolicy, givesNothing}},
	},
}

// layoutsBySelector finds the layout of an event by its first key.
var layoutsBySelector = func() map[starknet.Felt]*poolLayout {
	list := make(map[starknet.Felt]*poolLayout, len(poolLayouts))
	for i := range poolLayouts {
		l := &poolLayouts[i]
		l.selector = starknet.Selector(l.name)
		list[l.selector] = l
	}
	return list
}()

// layoutOf returns the layout of an event by its first key; nil if it is no
// variant.
func layoutOf(e *starknet.Event) *poolLayout {
	if len(e.Keys) == 0 {
		return nil
	}
	return layoutsBySelector[e.Keys[0]]
}

// fill sets the fields of an event, and reports whether the felts are exactly
// these fields.
func (l poolFields) fill(p *PoolEvent, felts []starknet.Felt) bool {
	for _, field := range l {
		n := 1
		if field.kind == threeFelts {
			n = 3
		}
		if len(felts) < n || !field.kind.holds(&felts[0]) {
			return false
		}
		value := felts[0]
		switch felts = felts[n:]; field.gives {
		case givesParty:
			p.Party = &value
		case givesToken:
			p.Token = &value
		case givesAmount:
			p.Amount = (*starknet.Uint256)(&value)
		case givesNote:
			p.Note = &value
		}
	}
	return len(felts) == 0
}

// holds reports whether a felt is a value of the type.
func (k poolKind) holds(felt *starknet.Felt) bool {
	switch k {
	case anAddress:
		return felt.BitLen() <= addressBits
	case aU128:
		return felt.BitLen() <= 128
	case aU64:
		return felt.BitLen() <= 64
	case aBool:
		return felt.BitLen() <= 1
	case aPolicy:
		_, ok := felt.Count(2)
		return ok
	}
	return true
}

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
