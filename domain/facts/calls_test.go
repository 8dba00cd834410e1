package facts

import (
	"slices"
	"testing"

	"astrolabe/starknet"
)

func invoke(calldata ...any) *Transaction {
	return &Transaction{Type: starknet.Invoke, Version: 3, Sender: pointer(felt(1000)), Calldata: felts(calldata...)}
}

func TestCallsAreReadInBothForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tx   *Transaction
		want []Call // nil: no form fits
	}{
		"Cairo 1, one call":      {invoke(1, 70, 71, 2, 5, 6), []Call{{felt(70), felt(71), felts(5, 6)}}},
		"Cairo 1, two calls":     {invoke(2, 70, 71, 1, 5, 80, 81, 0), []Call{{felt(70), felt(71), felts(5)}, {felt(80), felt(81), nil}}},
		"Cairo 1, no calls":      {invoke(0), []Call{}},
		"Cairo 0, one call":      {invoke(1, 70, 71, 0, 2, 2, 5, 6), []Call{{felt(70), felt(71), felts(5, 6)}}},
		"Cairo 0, two calls":     {invoke(2, 70, 71, 0, 1, 80, 81, 1, 2, 3, 5, 6, 7), []Call{{felt(70), felt(71), felts(5)}, {felt(80), felt(81), felts(6, 7)}}},
		"Cairo 0, no calls":      {invoke(0, 0), []Call{}},
		"nothing":                {invoke(), nil},
		"a felt more":            {invoke(1, 70, 71, 2, 5, 6, 7), nil},
		"a felt less":            {invoke(1, 70, 71, 2, 5), nil},
		"Cairo 0, a felt more":   {invoke(1, 70, 71, 0, 2, 2, 5, 6, 7), nil},
		"Cairo 0, other total":   {invoke(1, 70, 71, 0, 2, 3, 5, 6), nil},
		"Cairo 0, shared data":   {invoke(2, 70, 71, 0, 2, 80, 81, 0, 2, 2, 5, 6), nil},
		"Cairo 0, unused data":   {invoke(1, 70, 71, 1, 1, 2, 5, 6), nil},
		"absurd count":           {invoke("absurd", 70, 71, 0), nil},
		"absurd length":          {invoke(1, 70, 71, "absurd"), nil},
		"version 0":              {&Transaction{Type: starknet.Invoke, Calldata: felts(1, 70, 71, 0)}, nil},
		"constructor's calldata": {&Transaction{Type: starknet.DeployAccount, Version: 3, Calldata: felts(1, 70, 71, 0)}, nil},
		"L1 handler's calldata":  {&Transaction{Type: starknet.L1Handler, Calldata: felts(1, 70, 71, 0)}, nil},
		"count beyond an int":    {invoke(starknet.FeltFromUint64(1<<63), 70, 71, 0), nil},
	} {
		got, ok := Calls(test.tx)
		if ok != (test.want != nil) || !slices.EqualFunc(got, test.want, equalCalls) {
			t.Errorf("%s: %v %v, want %v", name, got, ok, test.want)
		}
	}
}

func equalCalls(a, b Call) bool {
	return a.To == b.To && a.Selector == b.Selector && slices.Equal(a.Calldata, b.Calldata)
}

func TestCalldataThatFitsBothFormsIsReadAsCairo0(t *testing.T) {
	t.Parallel()
	tx := invoke(2, 70, 71, 0, 1, 80, 6, 1, 2, 3, 5, 6, 7)
	if !cairo1Form.read(tx.Calldata, 2, func(_, _ *starknet.Felt, _ []starknet.Felt) {}) {
		t.Error("got calldata that is not in Cairo 1's form, want it to fit both forms")
	}
	want := []Call{{felt(70), felt(71), felts(5)}, {felt(80), felt(6), felts(6, 7)}}
	if got, ok := Calls(tx); !ok || !slices.EqualFunc(got, want, equalCalls) {
		t.Errorf("calls %v, want %v", got, want)
	}
}

// FuzzCalls holds every reading to the felts that it was read from.
func FuzzCalls(f *testing.F) {
	f.Add([]byte{1, 70, 71, 2, 5, 6})
	f.Add([]byte{2, 70, 71, 0, 1, 80, 81, 1, 2, 3, 5, 6, 7})
	f.Add([]byte{0, 0})
	f.Add([]byte{255, 1, 2})
	f.Fuzz(func(t *testing.T, payload []byte) {
		tx := invoke()
		for _, b := range payload {
			value := felt(uint64(b))
			if b == 255 {
				value = starknet.Selector("large")
			}
			tx.Calldata = append(tx.Calldata, value)
		}
		calls, ok := Calls(tx)
		if !ok {
			return
		}
		cairo1, heads, data := felts(len(calls)), felts(len(calls)), felts()
		for _, c := range calls {
			cairo1 = append(append(cairo1, c.To, c.Selector, felt(uint64(len(c.Calldata)))), c.Calldata...)
			heads = append(heads, c.To, c.Selector, felt(uint64(len(data))), felt(uint64(len(c.Calldata))))
			data = append(data, c.Calldata...)
		}
		cairo0 := slices.Concat(heads, felts(len(data)), data)
		if !slices.Equal(cairo0, tx.Calldata) && !slices.Equal(cairo1, tx.Calldata) {
			t.Errorf("got the calls %v of %v, want calls that encode to the same felts", calls, tx.Calldata)
		}
	})
}
