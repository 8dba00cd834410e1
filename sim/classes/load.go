package classes

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:generate go test -count=1 -timeout=6h -run=^TestSourcesCompileToTheCommittedClasses$ . -update

//go:embed manifest.json compiled
var files embed.FS

// ErrUnknown reports the name of a class that does not exist.
var ErrUnknown = errors.New("unknown class")

// Load returns all classes in the order of their names. It fails only if the
// program was built from inconsistent files.
func Load() ([]*Class, error) {
	all, err := load()
	return slices.Clone(all), err
}

// ByName returns one class, or ErrUnknown.
func ByName(name string) (*Class, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	for _, class := range all {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknown, name)
}

var load = sync.OnceValues(func() ([]*Class, error) {
	listed, err := readManifest()
	if err != nil {
		return nil, err
	}
	all := make([]*Class, 0, len(listed.Classes))
	for _, entry := range listed.Classes {
		document, err := files.ReadFile(compiledFile(entry.Name))
		if err != nil {
			return nil, fmt.Errorf("compiled classes: %w", err)
		}
		all = append(all, newClass(entry, document))
	}
	old, err := loadCairo0()
	all = append(all, old...)
	slices.SortFunc(all, func(a, b *Class) int { return strings.Compare(a.Name, b.Name) })
	return all, err
})

func readManifest() (manifest, error) {
	var listed manifest
	text, err := files.ReadFile("manifest.json")
	if err != nil {
		return listed, fmt.Errorf("compiled classes: %w", err)
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		return listed, fmt.Errorf("compiled classes: manifest: %w", err)
	}
	return listed, nil
}

func compiledFile(name string) string { return "compiled/" + name + ".json" }
