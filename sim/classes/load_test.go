package classes

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/starknet"
)

func readClass(tb testing.TB, class *Class) (document starknet.Class) {
	tb.Helper()
	if err := json.Unmarshal(class.Document, &document); err != nil {
		tb.Fatalf("%s: %v", class.Name, err)
	}
	return document
}

func TestEveryClassHashesToItsManifestHash(t *testing.T) {
	t.Parallel()
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[starknet.Felt]string{}
	for _, class := range all {
		document := readClass(t, class)
		if hash, err := document.Hash(); err != nil || hash != class.Hash {
			t.Errorf("%s hashes to %s, want %s: %v", class.Name, hash, class.Hash, err)
		}
		if document.Sierra != nil && class.CompiledHash != CompiledHash(class.Hash) {
			t.Errorf("%s: got compiled class hash %s, want %s", class.Name, class.CompiledHash, CompiledHash(class.Hash))
		}
		if other, twice := seen[class.Hash]; twice {
			t.Errorf("%s: got the class of %s, want another", class.Name, other)
		}
		seen[class.Hash] = class.Name
	}
	if len(all) == 0 {
		t.Error("got no classes, want some")
	}
}

func TestDocumentsHaveTheMembersOfANodesAnswer(t *testing.T) {
	t.Parallel()
	all, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range all {
		var document map[string]json.RawMessage
		if err := json.Unmarshal(class.Document, &document); err != nil {
			t.Fatalf("%s: %v", class.Name, err)
		}
		want, abi := []string{"abi", "contract_class_version", "entry_points_by_type", "sierra_program"}, byte('"')
		if readClass(t, class).Deprecated != nil {
			want, abi = []string{"abi", "entry_points_by_type", "program"}, '['
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(document))); diff != "" {
			t.Errorf("the members of %s (-want +got):\n%s", class.Name, diff)
		}
		if document["abi"][0] != abi {
			t.Errorf("%s: the ABI starts with %c, want %c", class.Name, document["abi"][0], abi)
		}
		var points map[string][]json.RawMessage
		if err := json.Unmarshal(document["entry_points_by_type"], &points); err != nil {
			t.Fatalf("%s: %v", class.Name, err)
		}
		for _, kind := range []string{"CONSTRUCTOR", "EXTERNAL", "L1_HANDLER"} {
			if points[kind] == nil {
				t.Errorf("%s: got no list of %s, want one", class.Name, kind)
			}
		}
	}
}

func TestUnknownNameIsReported(t *testing.T) {
	t.Parallel()
	if _, err := ByName("nothing"); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v, want %v", err, ErrUnknown)
	}
}
