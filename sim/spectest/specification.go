package spectest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Specification holds the published OpenRPC documents by file name.
type Specification map[string]map[string]any

// Read reads the documents or skips the test.
func Read(t testing.TB) Specification {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "..", "shared", "data", "openrpc", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("the published OpenRPC documents are not beside the repository")
	}
	spec := Specification{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		spec[filepath.Base(file)] = document
	}
	return spec
}

// Root returns the folder of the module, seen from a test's working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("there is no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// method finds a method and the file that it is in.
func (s Specification) method(name string) (file string, method map[string]any) {
	for file, document := range s {
		list, _ := document["methods"].([]any)
		for _, m := range list {
			if m := m.(map[string]any); m["name"] == name {
				return file, m
			}
		}
	}
	return "", nil
}

// CheckResult validates a method's result.
func (s Specification) CheckResult(name string, result []byte) error {
	file, method := s.method(name)
	if method == nil {
		return fmt.Errorf("%s is not in the specification", name)
	}
	schema := method["result"].(map[string]any)["schema"]
	return s.checkJSON(file, schema, result)
}

// CheckNotification validates the result of a subscription's message.
func (s Specification) CheckNotification(name string, result []byte) error {
	file, method := s.method(name)
	if method == nil {
		return fmt.Errorf("%s is not in the specification", name)
	}
	for _, p := range method["params"].([]any) {
		if p := p.(map[string]any); p["name"] == "result" {
			return s.checkJSON(file, p["schema"], result)
		}
	}
	return fmt.Errorf("%s has no result", name)
}

func (s Specification) checkJSON(file string, schema any, text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return s.check(file, schema.(map[string]any), value, "$")
}

// check validates a value against a schema of a file. In these documents oneOf
// means that at least one variant fits, because several variants include each
// other.
func (s Specification) check(file string, schema map[string]any, value any, path string) error {
	if ref, ok := schema["$ref"].(string); ok {
		target, inner := s.resolve(file, ref)
		if inner == nil {
			return fmt.Errorf("%s: cannot resolve %s", path, ref)
		}
		return s.check(target, inner, value, path)
	}
	if inner, ok := schema["schema"].(map[string]any); ok { // a wrapper that some documents have
		return s.check(file, inner, value, path)
	}
	for _, part := range schemas(schema, "allOf") {
		if err := s.check(file, part, value, path); err != nil {
			return err
		}
	}
	if err := s.checkVariants(file, schema, value, path); err != nil {
		return err
	}
	if not, ok := schema["not"].(map[string]any); ok && s.check(file, not, value, path) == nil {
		return fmt.Errorf("%s: matches what it must not", path)
	}
	if allowed, ok := schema["enum"].([]any); ok && !slices.Contains(allowed, value) {
		return fmt.Errorf("%s: %v is none of %v", path, value, allowed)
	}
	return s.checkType(file, schema, value, path)
}

func (s Specification) checkVariants(file string, schema map[string]any, value any, path string) error {
	variants := append(schemas(schema, "oneOf"), schemas(schema, "anyOf")...)
	var reasons []string
	for _, variant := range variants {
		err := s.check(file, variant, value, path)
		if err == nil {
			return nil
		}
		reasons = append(reasons, err.Error())
	}
	if len(variants) == 0 {
		return nil
	}
	return fmt.Errorf("%s: no variant fits: %s", path, strings.Join(reasons, " | "))
}

func schemas(schema map[string]any, key string) (list []map[string]any) {
	parts, _ := schema[key].([]any)
	for _, part := range parts {
		list = append(list, part.(map[string]any))
	}
	return list
}

func (s Specification) resolve(file, ref string) (string, map[string]any) {
	target, pointer, _ := strings.Cut(ref, "#")
	if target != "" {
		file = filepath.Base(target)
	}
	var at any = s[file]
	for _, step := range strings.Split(strings.Trim(pointer, "/"), "/") {
		object, ok := at.(map[string]any)
		if !ok {
			return file, nil
		}
		at = object[step]
	}
	object, _ := at.(map[string]any)
	return file, object
}

func (s Specification) checkType(file string, schema map[string]any, value any, path string) error {
	kind, _ := schema["type"].(string)
	switch kind {
	case "object":
		return s.checkObject(file, schema, value, path)
	case "array":
		list, ok := value.([]any)
		if !ok {
			return fmt.Errorf("%s: %T is not a list", path, value)
		}
		items, _ := schema["items"].(map[string]any)
		for i := range list {
			if items == nil {
				break
			}
			if err := s.check(file, items, list[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case "string":
		text, ok := value.(string)
		pattern, _ := schema["pattern"].(string)
		if !ok || pattern != "" && !compiled(pattern).MatchString(text) {
			return fmt.Errorf("%s: %v is not a text like %s", path, value, pattern)
		}
	case "integer":
		number, ok := value.(float64)
		minimum, bounded := schema["minimum"].(float64)
		if !ok || number != float64(int64(number)) || bounded && number < minimum {
			return fmt.Errorf("%s: %v is not a whole number", path, value)
		}
	case "boolean":
		if _, ok := value.(bool); !ok {
			return fmt.Errorf("%s: %v is not true or false", path, value)
		}
	}
	return nil
}

func (s Specification) checkObject(file string, schema map[string]any, value any, path string) error {
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: %T is not an object", path, value)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := object[name.(string)]; !ok {
			return fmt.Errorf("%s: %s is missing", path, name)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, member := range object {
		property, known := properties[name].(map[string]any)
		if !known {
			if schema["additionalProperties"] == false {
				return fmt.Errorf("%s: %s is not allowed", path, name)
			}
			continue
		}
		if err := s.check(file, property, member, path+"."+name); err != nil {
			return err
		}
	}
	return nil
}

var patterns sync.Map

func compiled(pattern string) *regexp.Regexp {
	if known, ok := patterns.Load(pattern); ok {
		return known.(*regexp.Regexp)
	}
	p := regexp.MustCompile(pattern)
	patterns.Store(pattern, p)
	return p
}
