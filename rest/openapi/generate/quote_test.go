package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	goccy "github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// scalars are the plain scalars that are not strings, by the type repository of
// YAML 1.1 (int, float, bool, null, timestamp, value, merge) and the core schema
// of YAML 1.2.
var scalars = regexp.MustCompile(`^(` +
	`[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?0o[0-7]+|[-+]?[0-9][0-9_]*|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|` +
	`[-+]?([0-9][0-9_]*)?\.[0-9_]*([eE][-+]?[0-9]+)?|[-+]?[0-9]+([eE][-+]?[0-9]+)|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|` +
	`y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|~|null|Null|NULL|` +
	`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|=|<<)$`)

// plainStrings returns the strings of a document that are not quoted.
func plainStrings(node *yaml.Node) (list []string) {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" && node.Style == 0 {
		list = append(list, node.Value)
	}
	for _, child := range node.Content {
		list = append(list, plainStrings(child)...)
	}
	return list
}

func TestNoStringOfTheYAMLDocumentIsAnotherTypeToAnyReader(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for _, plain := range plainStrings(&document) {
		if scalars.MatchString(plain) {
			t.Errorf("got the plain string %s, want it quoted", plain)
		}
	}
}

// TestYAMLEqualsJSONForTwoReaders reads the document with a reader of YAML 1.1
// and one of YAML 1.2.
func TestYAMLEqualsJSONForTwoReaders(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func([]byte, any) error{
		"go.yaml.in/yaml": yaml.Unmarshal,
		"goccy/go-yaml":   func(text []byte, v any) error { return goccy.Unmarshal(text, v) },
	} {
		var got any
		if err := read(text, &got); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
			continue
		}
		if diff := cmp.Diff(want, asJSON(t, got)); diff != "" {
			t.Errorf("%s differs from the JSON document (-want +got):\n%s", name, diff)
		}
	}
}

// asJSON returns a value as encoding/json decodes it.
func asJSON(t *testing.T, value any) (plain any) {
	t.Helper()
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(value); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestAmbiguousStringsAreQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0x1", "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d", "0o17", "017", "1_000", "1e3", ".5", "-1", "+1", "12:30", "12:30:45",
		"2026-01-01", "2026-01-01T00:00:00Z", "yes", "No", "ON", "off", "y", "N", "true", "Null", "~", "=", "<<", ".inf", "-.Inf", ".NaN", "0b1", "200",
	} {
		var document yaml.Node
		if err := document.Encode(map[string]string{text: text}); err != nil {
			t.Fatal(err)
		}
		quoteAmbiguous(&document)
		if plain := plainStrings(&document); len(plain) > 0 {
			t.Errorf("got %q plain, want it quoted", plain)
		}
	}
	for _, text := range []string{"light", "yes and no", "a 0x-prefixed felt", "nothing", "$ref"} {
		if ambiguous.MatchString(text) {
			t.Errorf("%q: got it quoted, want it plain", text)
		}
	}
}
