package graph

import (
	"astrolabe/graph/exec"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

func TestGeneratedCodeMatchesTheSchemaFile(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	if exec.SDL() != string(file) {
		t.Error("got another schema in graph/exec/generated.go, want schema.graphql: run make generate")
	}
}

func TestEverySchemaElementHasADescription(t *testing.T) {
	t.Parallel()
	described := func(what, description string) {
		if !strings.HasSuffix(strings.TrimSpace(description), ".") {
			t.Errorf("%s: got the description %q, want a sentence", what, description)
		}
	}
	for _, definition := range schema.Types {
		if definition.BuiltIn {
			continue
		}
		described(definition.Name, definition.Description)
		for _, value := range definition.EnumValues {
			described(definition.Name+"."+value.Name, value.Description)
		}
		for _, field := range definition.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			described(definition.Name+"."+field.Name, field.Description)
			for _, argument := range field.Arguments {
				described(definition.Name+"."+field.Name+"("+argument.Name+")", argument.Description)
			}
		}
	}
	for _, directive := range schema.Directives {
		if directive.Position.Src.BuiltIn {
			continue
		}
		described("@"+directive.Name, directive.Description)
		for _, argument := range directive.Arguments {
			described("@"+directive.Name+"("+argument.Name+")", argument.Description)
		}
	}
}

// TestFieldsWithAKeyInPlainTextHaveOneName holds new fields to the name by which
// a response is left uncompressed.
func TestFieldsWithAKeyInPlainTextHaveOneName(t *testing.T) {
	t.Parallel()
	secret, found := regexp.MustCompile(`(?i)plain|secret|password|bearer|credential`), 0
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if !secret.MatchString(field.Name) {
				continue
			}
			if found++; field.Name != plaintextKey {
				t.Errorf("%s: got the field %s, want %s, or a name that promises no secret", definition.Name, field.Name, plaintextKey)
			}
			c := &costing{schema: schema}
			if _, err := c.field(&ast.Field{Name: field.Name, Alias: "k", Definition: field, ObjectDefinition: definition}, connectionItems{}); err != nil || !c.secret {
				t.Errorf("%s.%s: got no secret (%v), want one", definition.Name, field.Name, err)
			}
		}
	}
	if found == 0 {
		t.Error("got no field with a key, want that of issueApiKey")
	}
}

func TestCustomScalarsNameTheirSpecification(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Felt", "BigInt", "DateTime", "Cursor", "Hash256"} {
		if schema.Types[name].Directives.ForName("specifiedBy") == nil {
			t.Errorf("%s: got no @specifiedBy, want one", name)
		}
	}
}

// TestEveryListDeclaresItsSize keeps costs correct: a list without a size would
// cost nothing.
func TestEveryListDeclaresItsSize(t *testing.T) {
	t.Parallel()
	sizes := sizesOf(schema)
	repeated := map[string]bool{} // connection fields, by type and name
	for field, size := range sizes {
		for _, name := range size.fields {
			repeated[field.Type.Name()+"."+name] = true
		}
	}
	for _, definition := range schema.Types {
		if definition.Kind == ast.InputObject {
			continue
		}
		for _, field := range definition.Fields {
			size, sized := sizes[field]
			if field.Type.Elem != nil && !sized && !repeated[definition.Name+"."+field.Name] {
				t.Errorf("%s.%s: got no @listSize, want one", definition.Name, field.Name)
			}
			if len(size.arguments) > 0 && size.maximum == 0 {
				t.Errorf("%s.%s: got a size argument without a maximum, want one", definition.Name, field.Name)
			}
			for _, name := range size.arguments {
				if field.Arguments.ForName(name) == nil {
					t.Errorf("%s.%s: got no argument %s, want it", definition.Name, field.Name, name)
				}
			}
		}
	}
}

func TestEveryConnectionHasTheSameFields(t *testing.T) {
	t.Parallel()
	connections := 0
	for name, definition := range schema.Types {
		if !strings.HasSuffix(name, "Connection") {
			continue
		}
		connections++
		for _, field := range []string{"edges", "nodes", "pageInfo", "totalCount", "totalCountExact"} {
			if definition.Fields.ForName(field) == nil {
				t.Errorf("%s: got no field %s, want it", name, field)
			}
		}
	}
	if connections == 0 {
		t.Error("got a schema without connections, want some")
	}
}
