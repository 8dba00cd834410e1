package abi

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"astrolabe/starknet"
)

// feltsOfBytes converts hostile bytes to felts: a length byte and that many
// bytes each, so that the fuzzer reaches small numbers, selectors and extreme
// values.
func feltsOfBytes(b []byte) []starknet.Felt {
	var list []starknet.Felt
	for len(b) > 0 {
		n := min(int(b[0])%33, len(b)-1)
		var wide [32]byte
		copy(wide[32-n:], b[1:1+n])
		b = b[1+n:]
		if f, err := starknet.FeltFromBytes(wide[:]); err == nil {
			list = append(list, f)
		}
	}
	return list
}

func bytesOfFelts(list []starknet.Felt) []byte {
	var b []byte
	for _, f := range list {
		b = append(append(b, 32), f[:]...)
	}
	return b
}

var typedErrors = []error{ErrUnknownSelector, ErrAmbiguous, ErrUnsupportedType, ErrPayloadMismatch}

func checkTyped(t *testing.T, err error) {
	t.Helper()
	if !slices.ContainsFunc(typedErrors, func(kind error) bool { return errors.Is(err, kind) }) {
		t.Fatalf("got %v, want one of %v", err, typedErrors)
	}
}

func addSeeds(f *testing.F) {
	f.Helper()
	transfer := append(selectors("Transfer"), felts(f, 1, 2)...)
	amount := felts(f, 3, 0)
	f.Add([]byte(nestedABI), bytesOfFelts(transfer), bytesOfFelts(amount))
	f.Add([]byte(nestedABI), bytesOfFelts(append(selectors("Vault", "Deposit"), starknet.AppendByteArray(nil, []byte("rent"))...)), bytesOfFelts(felts(f, 2, 7, 8)))
	f.Add([]byte(legacyERC20), bytesOfFelts(selectors("Transfer")), bytesOfFelts(felts(f, 1, 2, 3, 0)))
	f.Add([]byte(`[`+definedAt+`,{"type":"event","name":"e","inputs":[{"name":"a","type":"core::option::Option::<m::Choice>"},{"name":"b","type":"[(core::integer::i8, felt); 2]"}]}]`),
		bytesOfFelts(selectors("e")), bytesOfFelts(felts(f, 0, 2, 1, 3, 4, -1, 5, 7, 6)))
	f.Add([]byte(labelled(strings.Repeat("x", maxText), 3)), bytesOfFelts(selectors("E")), bytesOfFelts(felts(f, 1, 2, 3)))
	f.Add([]byte(nestedEvents(3, 5, 2)), bytesOfFelts(selectors("nnnnn", "nnnnn", "nnnnn", "v1")), []byte{})
	f.Add([]byte(pointers(2)), []byte{}, bytesOfFelts(felts(f, 1, 0, 7)))
	f.Add([]byte(`[null,{"type":"interface","items":[null]}]`), []byte{}, []byte{})
	f.Add([]byte(`[]`), []byte{1, 0}, binary.BigEndian.AppendUint64([]byte{8}, 1<<63))
}

func FuzzSchema(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text, keyBytes, dataBytes []byte) {
		schema, err := Compile(text)
		if err != nil {
			if !errors.Is(err, ErrMalformedABI) {
				t.Fatalf("got %v, want %v", err, ErrMalformedABI)
			}
			return
		}
		keys, data := feltsOfBytes(keyBytes), feltsOfBytes(dataBytes)
		if event, err := schema.DecodeEvent(keys, data); err == nil {
			checkRoundTrip(t, &event, keys, data)
		} else {
			checkTyped(t, err)
		}
		for _, l := range schema.Events() {
			announced := append(slices.Clone(l.Selectors), keys...)
			if event, err := l.Decode(announced, data); err == nil {
				checkRoundTrip(t, &event, announced, data)
			} else {
				checkTyped(t, err)
			}
		}
		for _, fn := range schema.functions {
			fields, err := fn.DecodeInputs(data)
			if err != nil {
				checkTyped(t, err)
				continue
			}
			if !slices.Equal(EncodeFields(fields), data) {
				t.Fatalf("got %v, want %v", EncodeFields(fields), data)
			}
			for i := range fields {
				_ = fields[i].String()
			}
		}
	})
}
