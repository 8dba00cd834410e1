package event

import "astrolabe/starknet/abi"

// Decoding is the certified decoding of an event.
type Decoding struct {
	Status     Status
	Name       string       // empty when no name is attributed
	NameSource NameSource   // empty with the name
	Fields     []abi.Field  // of a decoded event, never nil there
	FieldsFrom FieldsSource // empty unless it is decoded
	// Unavailable is why there are no fields; empty when it is decoded.
	Unavailable Reason
}

// Status says how much of an event is decoded.
type Status string

// The statuses.
const (
	Decoded  Status = "decoded"   // its name and the types of its whole payload
	NameOnly Status = "name_only" // its name
	Unknown  Status = "unknown"   // nothing beyond its keys and data
)

// NameSource is the source of an event's name.
type NameSource string

// The sources of names, from the strongest.
const (
	FromVerifiedABI       NameSource = "verified_abi"       // the ABI of a class that was rebuilt exactly from source
	FromClassABI          NameSource = "class_abi"          // the ABI of the class in force
	FromImplementationABI NameSource = "implementation_abi" // the ABI of the class that a proxy executes
	FromCuration          NameSource = "curated_selector"   // a reviewed list of selectors
	FromUniqueName        NameSource = "selector_unique"    // every indexed class that has the selector names it so
)

// Declared reports whether the name is one that the contract's own code declares.
func (s NameSource) Declared() bool {
	return s == FromVerifiedABI || s == FromClassABI || s == FromImplementationABI
}

// FieldsSource is the source of an event's typed fields.
type FieldsSource string

// The sources of types.
const (
	TypedByClassABI          FieldsSource = "class_abi"
	TypedByImplementationABI FieldsSource = "implementation_abi"
	TypedByStandard          FieldsSource = "standard_schema" // a reviewed schema that its selector and arity fit
)

// Reason is why an event has no typed fields.
type Reason string

// The reasons.
const (
	SchemaUnavailable      Reason = "schema_unavailable"        // there is no one schema for it
	SelectorOnly           Reason = "selector_only_attribution" // its name is from its selector alone
	PayloadShapeMismatch   Reason = "payload_shape_mismatch"    // the schema does not consume exactly its payload
	SchemaShapeUnsupported Reason = "schema_shape_unsupported"  // the schema has types that cannot be read, or is ambiguous
)

// unknown is the decoding of an event that nothing is known of.
var unknown = Decoding{Status: Unknown, Unavailable: SchemaUnavailable}

func nameOnly(name string, source NameSource, why Reason) Decoding {
	return Decoding{Status: NameOnly, Name: name, NameSource: source, Unavailable: why}
}

func decoded(e abi.Event, name NameSource, types FieldsSource) Decoding {
	return Decoding{Status: Decoded, Name: e.Layout.Name, NameSource: name, Fields: e.Fields, FieldsFrom: types}
}
