package starknet

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPythonSpacingTouchesNothingInsideStrings(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`[]`:                       `[]`,
		" [ 1 ,\n\t2 ] ":           `[1, 2]`,
		`{"a":[1,[2,3],{}],"b":1}`: `{"a": [1, [2, 3], {}], "b": 1}`,
		`{"a:b,c":"x, y:z \" ,:"}`: `{"a:b,c": "x, y:z \" ,:"}`,
		`["\\",1]`:                 `["\\", 1]`,
		`{"é":"日本 , x"}`:           `{"é": "日本 , x"}`,
		`[true,null,-1.5e3]`:       `[true, null, -1.5e3]`,
	} {
		if got := string(pythonSpacing([]byte(in))); got != want {
			t.Errorf("pythonSpacing(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestSortedPythonSpelling(t *testing.T) {
	t.Parallel()
	v, err := decodePythonJSON([]byte(`{"b": 12345678901234567890123, "a": [null, true, "\u00e9\ud83d\ude00\n\u007f\u0001\"\\/"], "A": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"A": {}, "a": [null, true, "\u00e9\ud83d\ude00\n` + "\x7f" + `\u0001\"\\/"], "b": 12345678901234567890123}`
	if got := string(appendPython(nil, v)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	hints := numericKeys{"10": nil, "9": nil, "100": nil}
	if got := string(appendPython(nil, hints)); got != `{"9": null, "10": null, "100": null}` {
		t.Errorf("got %s, want the keys in the order of their numbers", got)
	}
}

// The compiler writes the ABI as an array, the node as a string: both are the same class.
func TestSierraClassHashDoesNotDependOnWhoWroteTheABI(t *testing.T) {
	t.Parallel()
	for _, path := range realFiles(t, "other_classes/*.json") {
		var fields map[string]json.RawMessage
		readJSON(t, path, &fields)
		var abi string
		if err := json.Unmarshal(fields["abi"], &abi); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(abi, "\n") {
			continue // Declared by a tool that did not use Python's spelling.
		}
		fields["abi"] = json.RawMessage(abi)
		var compiled bytes.Buffer
		writer := json.NewEncoder(&compiled)
		writer.SetEscapeHTML(false)
		writer.SetIndent("", "  ")
		if err := writer.Encode(fields); err != nil {
			t.Fatal(err)
		}
		var class Class
		if err := json.Unmarshal(compiled.Bytes(), &class); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if got, err := class.Hash(); err != nil || got != MustFelt(name) {
			t.Errorf("got hash %v, %v, want %s", got, err, name)
		}
	}
}

func TestMalformedClassesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `{"sierra_program":["x"]}`, `{"sierra_program":[],"abi":7}`, `{"sierra_program":3}`, `{"program":7}`,
		"{\"sierra_program\":[],\"abi\":[\"\xff\"]}",
	} {
		var class Class
		if err := json.Unmarshal([]byte(text), &class); err == nil {
			t.Errorf("%s: got a class, want an error", text)
		}
	}
	for _, text := range []string{
		`{"program":""}`, `{"program":"AAAA"}`, `{"program":"H4sIAAAAAAAA/4oGAAAA//8="}`,
	} {
		var class Class
		if err := json.Unmarshal([]byte(text), &class); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err := class.Hash(); !errors.Is(err, ErrMalformedClass) {
			t.Errorf("hash of %s: got %v, want %v", text, err, ErrMalformedClass)
		}
	}
	if _, err := (Class{}).Hash(); !errors.Is(err, ErrMalformedClass) {
		t.Errorf("hash of no class: got %v, want %v", err, ErrMalformedClass)
	}
}

func FuzzClass(f *testing.F) {
	f.Add([]byte(`{"sierra_program":["0x1"],"contract_class_version":"0.1.0","entry_points_by_type":{"EXTERNAL":[{"selector":"0x1","function_idx":0}]},"abi":[{"type":"struct"}]}`))
	f.Add([]byte(`{"program":"H4sIAAAAAAAA/4oGAAAA//8=","entry_points_by_type":{},"abi":[]}`))
	if files, _ := filepath.Glob("../../shared/data/real/SN_SEPOLIA/classes/0x5f18*.json"); len(files) == 1 {
		if text, err := os.ReadFile(files[0]); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var class Class
		if json.Unmarshal(text, &class) != nil {
			return
		}
		before, err := class.Hash()
		if err != nil {
			if !errors.Is(err, ErrMalformedClass) {
				t.Fatalf("got %v, want %v", err, ErrMalformedClass)
			}
			return
		}
		written, err := json.Marshal(class)
		if err != nil {
			t.Fatal(err)
		}
		var again Class
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if after, err := again.Hash(); err != nil || after != before {
			t.Fatalf("got hash %v, %v, want %v", after, err, before)
		}
	})
}

// FuzzCanonicalABI checks that the canonical form of an ABI is its own canonical
// form, and JSON if the ABI is.
func FuzzCanonicalABI(f *testing.F) {
	for _, text := range []string{"", "null", "[{", `[{"b": 1.0e2, "a": "\u00e9\ud83d\ude00\u007f"}]`, `{"a":{},"a":[]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once := CanonicalABI(text)
		if twice := CanonicalABI(once); !bytes.Equal(once, twice) {
			t.Errorf("got %q, and of that %q, want the same", once, twice)
		}
		if json.Valid(text) && !json.Valid(once) {
			t.Errorf("got %q of %q, want JSON", once, text)
		}
	})
}
