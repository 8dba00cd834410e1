package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrSyntax reports text that does not describe a fault.
var ErrSyntax = errors.New("a fault is written like latency,delay=200ms,every=3,methods=starknet_call+starknet_getEvents")

// Parse reads a fault from a flag: its kind, then its fields by name, separated by commas.
// Methods are separated by plus signs.
func Parse(text string) (Fault, error) {
	kind, rest, _ := strings.Cut(text, ",")
	f := Fault{Kind: Kind(kind)}
	for rest != "" {
		var field string
		field, rest, _ = strings.Cut(rest, ",")
		name, value, found := strings.Cut(field, "=")
		if !found {
			return f, fmt.Errorf("%w: %q has no value", ErrSyntax, field)
		}
		if err := f.set(name, value); err != nil {
			return f, fmt.Errorf("%w: %w", ErrSyntax, err)
		}
	}
	return f, f.check()
}

func (f *Fault) set(name, value string) (err error) {
	switch name {
	case "methods":
		f.Methods = strings.Split(value, "+")
	case "every":
		f.Every, err = strconv.Atoi(value)
	case "times":
		f.Times, err = strconv.Atoi(value)
	case "delay":
		f.Delay, err = time.ParseDuration(value)
	case "code":
		f.Code, err = strconv.Atoi(value)
	case "message":
		f.Message = value
	case "status":
		f.Status, err = strconv.Atoi(value)
	case "lie":
		f.Lie = value
	case "block":
		f.Block = new(uint64)
		*f.Block, err = strconv.ParseUint(value, 10, 63)
	case "limit":
		f.Limit, err = strconv.ParseFloat(value, 64)
	case "retry":
		f.Retry, err = strconv.Atoi(value)
	case "depth":
		f.Depth, err = strconv.ParseUint(value, 10, 31)
	default:
		err = fmt.Errorf("there is no field %q", name)
	}
	if _, ok := errors.AsType[*strconv.NumError](err); ok {
		err = fmt.Errorf("%s is not a number that can be used: %q", name, value)
	}
	return err
}

// UnmarshalJSON reads a fault by the names of its fields; it refuses others. A
// delay is a text such as 200ms, or a number of nanoseconds.
func (f *Fault) UnmarshalJSON(data []byte) error {
	type fields Fault
	object := struct {
		*fields
		Delay duration `json:"delay"`
	}{fields: (*fields)(f)}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&object)
	f.Delay = time.Duration(object.Delay)
	return err
}

// duration is a duration in JSON.
type duration time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (d *duration) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return json.Unmarshal(data, (*int64)(d))
	}
	parsed, err := time.ParseDuration(text)
	*d = duration(parsed)
	return err
}
