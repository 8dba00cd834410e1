package chains

import (
	"time"

	"astrolabe/domain/event"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// EventRow is an event row of part 2.8 of the contract.
type EventRow struct {
	BlockNumber  uint64          `json:"blockNumber"`
	TimestampIso time.Time       `json:"timestampIso"`
	TxHash       starknet.Felt   `json:"txHash"`
	TxIndex      int             `json:"txIndex"`
	LogIndex     int             `json:"logIndex"`
	Address      starknet.Felt   `json:"address"`
	Keys         []starknet.Felt `json:"keys"`
	Topic0       *starknet.Felt  `json:"topic0"`
	Topic1       *starknet.Felt  `json:"topic1"`
	Topic2       *starknet.Felt  `json:"topic2"`
	Topic3       *starknet.Felt  `json:"topic3"`
	Data         []starknet.Felt `json:"data"`

	DecodingStatus                 event.Status        `json:"decodingStatus"`
	EventName                      *string             `json:"eventName"`
	EventNameSource                *event.NameSource   `json:"eventNameSource"`
	DecodedFields                  []DecodedField      `json:"decodedFields,omitzero"` // absent unless it is decoded
	DecodedFieldsSource            *event.FieldsSource `json:"decodedFieldsSource"`
	DecodedFieldsUnavailableReason *event.Reason       `json:"decodedFieldsUnavailableReason"`
}

// DecodedField is a decoded field of an event or of calldata.
type DecodedField struct {
	Label         string          `json:"label"`
	Type          string          `json:"type"`
	Source        string          `json:"source"`
	Kind          abi.Kind        `json:"kind"`
	Status        event.Status    `json:"status"`
	RawValues     []starknet.Felt `json:"rawValues"`
	OriginIndexes []int           `json:"originIndexes"`
	DisplayValue  string          `json:"displayValue"`
	AddressValue  *starknet.Felt  `json:"addressValue"`
	NumericValue  *string         `json:"numericValue"`
	TextValue     *string         `json:"textValue"`
	BoolValue     *bool           `json:"boolValue"`
}

// RenderEvent renders an event.
func RenderEvent(r event.Row) EventRow {
	body := EventRow{
		BlockNumber: r.Block, TimestampIso: r.Time(), TxHash: r.TxHash, TxIndex: r.Tx, LogIndex: r.Log,
		Address: r.Address, Keys: frame.EmptyIfNil(r.Keys), Data: frame.EmptyIfNil(r.Data),
		Topic0: r.Topic(0), Topic1: r.Topic(1), Topic2: r.Topic(2), Topic3: r.Topic(3),
		DecodingStatus: r.Status, EventName: frame.NullIfEmpty(r.Name), EventNameSource: frame.NullIfEmpty(r.NameSource),
		DecodedFieldsSource: frame.NullIfEmpty(r.FieldsFrom), DecodedFieldsUnavailableReason: frame.NullIfEmpty(r.Unavailable),
	}
	if r.Status == event.Decoded {
		body.DecodedFields = make([]DecodedField, len(r.Fields))
		for i := range r.Fields {
			body.DecodedFields[i] = RenderField(&r.Fields[i])
		}
	}
	return body
}

// RenderField renders a decoded value.
func RenderField(f *abi.Field) DecodedField {
	body := DecodedField{
		Label: f.Label, Type: f.Type.Name, Source: f.Source.String(), Kind: f.Type.Kind(), Status: event.Decoded,
		RawValues: frame.EmptyIfNil(f.Raw), OriginIndexes: f.OriginIndexes(), DisplayValue: f.String(),
	}
	if address, ok := f.Address(); ok {
		body.AddressValue = &address
	}
	if number, ok := f.Int(); ok {
		body.NumericValue = new(number.String())
	}
	if text, ok := f.Text(); ok {
		body.TextValue = &text
	}
	if yes, ok := f.Bool(); ok {
		body.BoolValue = &yes
	}
	return body
}
