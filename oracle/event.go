package oracle

import (
	"errors"
	"maps"
	"slices"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// emission is an event with its position.
type emission struct {
	*tx
	log int
}

func (m *Model) eventBody(at emission) object {
	t, log := at.tx, at.log
	e := &t.Receipt.Events[log]
	body := m.decode(e, t.block)
	body["blockNumber"], body["timestampIso"], body["txHash"] = t.block.BlockNumber, iso(t.block.Timestamp), t.Receipt.TransactionHash.String()
	body["txIndex"], body["logIndex"], body["address"] = t.index, log, e.FromAddress.String()
	body["keys"], body["data"] = texts(e.Keys), texts(e.Data)
	for i, name := range []string{"topic0", "topic1", "topic2", "topic3"} {
		body[name] = nil
		if i < len(e.Keys) {
			body[name] = e.Keys[i].String()
		}
	}
	return body
}

// decode decodes an event by the classes that may have emitted it, and by its
// selector only if none of them mentions it.
func (m *Model) decode(e *starknet.Event, b *Block) object {
	if len(e.Keys) == 0 {
		return meaning("unknown", "", "", "schema_unavailable")
	}
	var readings []object
	codes := m.codes(e.FromAddress, b)
	for _, c := range codes {
		if reading := m.byCode(e, c); reading != nil {
			readings = append(readings, reading)
		}
	}
	switch {
	case len(readings) == 0:
		return m.bySelector(e)
	case len(codes) == 1 || len(readings) == len(codes) && !slices.ContainsFunc(readings, func(r object) bool { return !same(unsourced(readings[0]), unsourced(r)) }):
		readings[0]["eventNameSource"] = sourceOf(readings)
		return readings[0]
	}
	// Two classes that do not agree on the whole may agree on the name.
	name := readings[0]["eventName"]
	for _, reading := range readings {
		if reading["eventName"] != name {
			name = nil
		}
	}
	if name == nil {
		return meaning("unknown", "", "", "schema_unavailable")
	}
	return meaning("name_only", name.(string), sourceOf(readings).(string), "schema_unavailable")
}

// sourceOf is the source of a name that several classes may have given: it is
// verified only if all of them are.
func sourceOf(readings []object) any {
	for _, reading := range readings {
		if reading["eventNameSource"] != "verified_abi" {
			return reading["eventNameSource"]
		}
	}
	return "verified_abi"
}

// unsourced is a reading without the sources of its names and types.
func unsourced(reading object) object {
	reading = maps.Clone(reading)
	delete(reading, "eventNameSource")
	delete(reading, "decodedFieldsSource")
	return reading
}

// byCode decodes by the class of a contract, or else by what it executes as a
// proxy; nil if neither mentions the event.
func (m *Model) byCode(e *starknet.Event, c code) object {
	for i, class := range c {
		reading := byClass(e, m.Classes[class])
		if reading == nil {
			continue
		}
		for _, source := range []string{"eventNameSource", "decodedFieldsSource"} {
			if i > 0 && reading[source] == "class_abi" {
				reading[source] = "implementation_abi"
			}
		}
		if m.Verified[class] != nil && reading["eventNameSource"] != nil {
			reading["eventNameSource"] = "verified_abi"
		}
		return reading
	}
	return nil
}

// meaning has decodedFields only where an event is decoded.
func meaning(status, name, source, why string) object {
	return object{
		"decodingStatus": status, "eventName": stringOrNull(name), "eventNameSource": stringOrNull(source),
		"decodedFieldsSource": nil, "decodedFieldsUnavailableReason": stringOrNull(why),
	}
}

func decoded(e abi.Event, nameSource, fieldsSource string) object {
	body := meaning("decoded", e.Layout.Name, nameSource, "")
	body["decodedFields"], body["decodedFieldsSource"] = fieldBodies(e.Fields), fieldsSource
	return body
}

// byClass is nil when the class does not mention the event.
func byClass(e *starknet.Event, schema *abi.Schema) object {
	if schema == nil {
		return nil
	}
	event, err := schema.DecodeEvent(e.Keys, e.Data)
	if err == nil {
		return decoded(event, "class_abi", "class_abi")
	}
	if errors.Is(err, abi.ErrUnknownSelector) {
		return nil
	}
	name, unnamed := schema.EventName(e.Keys)
	switch {
	case unnamed != nil:
		return meaning("unknown", "", "", "schema_unavailable")
	case errors.Is(err, abi.ErrPayloadMismatch):
		return meaning("name_only", name, "class_abi", "payload_shape_mismatch")
	}
	return meaning("name_only", name, "class_abi", "schema_shape_unsupported")
}

// bySelector decodes an event that no class mentions: by the schema of a
// standard, by a curated name, or by the only name that classes use.
func (m *Model) bySelector(e *starknet.Event) object {
	if event, err := standards.DecodeEvent(e.Keys, e.Data); err == nil {
		return decoded(event, "curated_selector", "standard_schema")
	}
	for _, name := range curated {
		if starknet.Selector(name) == e.Keys[0] {
			return meaning("name_only", name, "curated_selector", "selector_only_attribution")
		}
	}
	if name := m.eventName[e.Keys[0]]; name != "" && starknet.Selector(name) == e.Keys[0] {
		return meaning("name_only", name, "selector_unique", "selector_only_attribution")
	}
	return meaning("unknown", "", "", "schema_unavailable")
}

// eventFilter selects events.
type eventFilter struct {
	addresses []starknet.Felt
	topics    [16][]starknet.Felt
	from, to  *uint64
}

func (f *eventFilter) matches(t *tx, e *starknet.Event) bool {
	if f.from != nil && t.block.BlockNumber < *f.from || f.to != nil && t.block.BlockNumber > *f.to {
		return false
	}
	if len(f.addresses) > 0 && !slices.Contains(f.addresses, e.FromAddress) {
		return false
	}
	for position, values := range f.topics {
		if len(values) > 0 && (position >= len(e.Keys) || !slices.Contains(values, e.Keys[position])) {
			return false
		}
	}
	return true
}

func (m *Model) events(f eventFilter) (list []emission) {
	for _, t := range newestFirst(m.txs) {
		for log := len(t.Receipt.Events) - 1; log >= 0; log-- {
			if f.matches(t, &t.Receipt.Events[log]) {
				list = append(list, emission{t, log})
			}
		}
	}
	return list
}
