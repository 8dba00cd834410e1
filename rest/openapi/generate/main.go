package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"astrolabe/rest"
	"astrolabe/rest/frame"
)

// object is a JSON object. Both encoders write its keys in order, so the
// output depends on the input alone.
type object = map[string]any

func main() {
	log.SetFlags(0)
	document, err := build()
	if err != nil {
		log.Fatal(err)
	}
	if err := writeJSON("openapi.json", document); err != nil {
		log.Fatal(err)
	}
	if err := writeYAML("openapi.yaml", document); err != nil {
		log.Fatal(err)
	}
}

func build() (object, error) {
	document, err := read[object]("info.yaml")
	if err != nil {
		return nil, err
	}
	schemas, err := readAll[any]("schemas")
	if err != nil {
		return nil, err
	}
	texts, err := readAll[text]("operations")
	if err != nil {
		return nil, err
	}
	paths := object{}
	for _, op := range rest.Table() {
		written, ok := texts[op.ID]
		if !ok {
			return nil, fmt.Errorf("operations/ does not describe %s", op.ID)
		}
		delete(texts, op.ID)
		item, ok := paths[op.Path].(object)
		if !ok {
			item = object{}
			paths[op.Path] = item
		}
		item[lower(op.Method)] = operation(op, written, schemas)
	}
	for id := range texts {
		return nil, fmt.Errorf("operations/ describes %s, which the table does not have", id)
	}
	document["paths"] = paths
	components := object{"schemas": schemas, "headers": headers}
	if slices.ContainsFunc(rest.Table(), func(op frame.Operation) bool { return op.Permission != "" }) {
		components["securitySchemes"] = securitySchemes
	}
	document["components"] = components
	return document, nil
}

func read[T any](file string) (T, error) {
	var value T
	content, err := os.ReadFile(file)
	if err != nil {
		return value, err
	}
	if err := yaml.Unmarshal(content, &value); err != nil {
		return value, fmt.Errorf("%s: %w", file, err)
	}
	return value, nil
}

// readAll merges the files of a folder, one for each noun. No name may be in
// two of them.
func readAll[T any](folder string) (map[string]T, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	all := map[string]T{}
	for _, file := range files {
		part, err := read[map[string]T](file)
		if err != nil {
			return nil, err
		}
		for name, value := range part {
			if _, taken := all[name]; taken {
				return nil, fmt.Errorf("%s: %s is described elsewhere, too", file, name)
			}
			all[name] = value
		}
	}
	return all, nil
}

func writeJSON(file string, v any) error {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return os.WriteFile(file, buffer.Bytes(), 0o644)
}

func writeYAML(file string, v any) error {
	var document yaml.Node
	if err := document.Encode(v); err != nil {
		return err
	}
	quoteAmbiguous(&document)
	var buffer bytes.Buffer
	encoder := yaml.NewEncoder(&buffer)
	encoder.SetIndent(2)
	if err := encoder.Encode(&document); err != nil {
		return err
	}
	return os.WriteFile(file, buffer.Bytes(), 0o644)
}
