package toolchain

import (
	"encoding/json"
	"errors"
	"testing"

	"astrolabe/starknet"
)

// answer is what the compiler might say about a contract with one type of its own.
func answer(tb testing.TB, names string) []byte {
	tb.Helper()
	program, err := json.Marshal(packedClass(program(fallThrough32, starknet.Keccak([]byte("astro::A")))))
	if err != nil {
		tb.Fatal(err)
	}
	return []byte(`{"sierra_program":` + string(program) + `,"sierra_program_debug_info":{"type_names":` + names + `},
		"contract_class_version":"0.1.0","entry_points_by_type":{"EXTERNAL":[],"L1_HANDLER":[],"CONSTRUCTOR":[]},
		"abi":[{"type":"struct","name":"astro::A","members":[]}]}`)
}

func TestFinishedClassCarriesThePackagesName(t *testing.T) {
	t.Parallel()
	class, err := finishClass(answer(t, `[[0,"astro::A"]]`), "real")
	if err != nil {
		t.Fatal(err)
	}
	if want := `[{"type": "struct", "name": "real::A", "members": []}]`; class.ABI != want {
		t.Errorf("got the ABI %s, want %s", class.ABI, want)
	}
}

func TestAnswerWithNamesOutOfOrderIsRefused(t *testing.T) {
	t.Parallel()
	for _, names := range []string{`[[1,"astro::A"]]`, `[["astro::A",0]]`, `{}`} {
		if _, err := finishClass(answer(t, names), "real"); !errors.Is(err, ErrMalformedOutput) {
			t.Errorf("the names %s: got %v, want %v", names, err, ErrMalformedOutput)
		}
	}
}

func FuzzFinishClass(f *testing.F) {
	f.Add(answer(f, `[[0,"astro::A"]]`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := finishClass(data, "real"); err != nil && !errors.Is(err, ErrMalformedOutput) {
			t.Errorf("got %v, want %v", err, ErrMalformedOutput)
		}
	})
}
