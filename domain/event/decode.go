package event

import (
	"errors"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// decode decodes an event. The class at the block takes precedence, and after
// it the class that a proxy executes: the name of the first that declares the
// event is used even if the payload does not fit. Only an event that neither
// declares is attributed by its
// selector: with types if a standard schema consumes exactly its payload, else
// by name.
func (m meaning) decode(keys, data []starknet.Felt) Decoding {
	if len(keys) == 0 {
		return unknown
	}
	d, mentioned := m.byRuntime(keys, data)
	if !mentioned {
		d = bySelector(keys, data, m.name)
	}
	return d
}

// byRuntime decodes with the classes at the block. If the class or the
// implementation was replaced within the block, it is unknown which one emitted
// the event, so all must agree. It reports false if no class declares the event.
func (m meaning) byRuntime(keys, data []starknet.Felt) (Decoding, bool) {
	var buffer [4]facts.Code
	codes := m.classes.Codes(buffer[:0])
	d, mentioned := m.byCode(keys, data, codes[0])
	for _, code := range codes[1:] {
		other, mentionedToo := m.byCode(keys, data, code)
		d = d.reconcile(other, mentioned && mentionedToo)
		mentioned = mentioned || mentionedToo
	}
	return d, mentioned
}

// reconcile returns what is certain of an event that may have either decoding;
// both reports whether both classes declare it.
func (d Decoding) reconcile(other Decoding, both bool) Decoding {
	if both {
		if d.NameSource == FromVerifiedABI { // only if both classes are verified
			d.NameSource = other.NameSource
		}
		if d.agrees(other) {
			return d
		}
		if d.Name != other.Name {
			return unknown
		}
	}
	if d.Name == "" {
		d = other
	}
	if d.Name == "" {
		return unknown
	}
	return nameOnly(d.Name, d.NameSource, SchemaUnavailable)
}

// byCode decodes by the class of a contract, or else by the class that it
// executes as a proxy.
func (m meaning) byCode(keys, data []starknet.Felt, code facts.Code) (Decoding, bool) {
	d, mentioned := m.byClass(keys, data, code.Class)
	if mentioned || code.Implementation == nil {
		return d, mentioned
	}
	if d, mentioned = m.byClass(keys, data, code.Implementation); d.NameSource == FromClassABI {
		d.NameSource = FromImplementationABI
	}
	if d.FieldsFrom == TypedByClassABI {
		d.FieldsFrom = TypedByImplementationABI
	}
	return d, mentioned
}

// byClass decodes by one class. It reports false when the class is not known,
// has no readable ABI, or does not mention the event.
func (m meaning) byClass(keys, data []starknet.Felt, class *facts.Class) (Decoding, bool) {
	if class == nil || class.Schema() == nil {
		return unknown, false
	}
	source := FromClassABI
	if m.verified[class.Hash] {
		source = FromVerifiedABI
	}
	e, err := class.Schema().DecodeEvent(keys, data)
	if err == nil {
		return decoded(e, source, TypedByClassABI), true
	}
	if errors.Is(err, abi.ErrUnknownSelector) {
		return unknown, false
	}
	name, nameErr := class.Schema().EventName(keys)
	if nameErr != nil { // several events of different names are possible
		return unknown, true
	}
	why := SchemaShapeUnsupported
	if errors.Is(err, abi.ErrPayloadMismatch) {
		why = PayloadShapeMismatch
	}
	return nameOnly(name, source, why), true
}

// bySelector attributes an event by its first key.
func bySelector(keys, data []starknet.Felt, unique string) Decoding {
	if e, err := standard().DecodeEvent(keys, data); err == nil {
		return decoded(e, FromCuration, TypedByStandard)
	}
	if name, ok := curated()[keys[0]]; ok {
		return nameOnly(name, FromCuration, SelectorOnly)
	}
	// A name whose selector is not the first key belongs to an event that
	// further keys announce, which are not compared here.
	if unique != "" && starknet.Selector(unique) == keys[0] {
		return nameOnly(unique, FromUniqueName, SelectorOnly)
	}
	return unknown
}

// agrees reports whether two readings of one event are the same for every
// reader: name, labels, types and the felts behind each.
func (d Decoding) agrees(other Decoding) bool {
	return d.Status == other.Status && d.Name == other.Name && d.Unavailable == other.Unavailable &&
		slices.EqualFunc(d.Fields, other.Fields, func(a, b abi.Field) bool {
			return a.Label == b.Label && a.Source == b.Source && a.Start == b.Start &&
				a.Type.Name == b.Type.Name && a.Type.Kind() == b.Type.Kind() && len(a.Raw) == len(b.Raw) &&
				a.String() == b.String()
		})
}
