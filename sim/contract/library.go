package contract

import (
	"fmt"
	"sync"

	"astrolabe/sim/vm"
	"astrolabe/starknet"
)

// Document is a compiled class.
type Document struct {
	Name               string
	Hash, CompiledHash starknet.Felt
	Class              starknet.Class
}

// Library holds the classes that can be declared: the ones with a program, by
// name and by hash, and those that clients declared, by hash.
type Library struct {
	names map[string]*vm.Class

	mu     sync.RWMutex
	hashes map[starknet.Felt]*vm.Class
}

// NewLibrary combines documents and programs. It fails if a program has no
// document; a document without a program can be declared and deployed but not
// called.
func NewLibrary(documents []Document) (*Library, error) {
	l := &Library{names: map[string]*vm.Class{}, hashes: map[starknet.Felt]*vm.Class{}}
	programs := Programs()
	for _, d := range documents {
		class := &vm.Class{Name: d.Name, Hash: d.Hash, CompiledHash: d.CompiledHash, Document: d.Class, Program: programs[d.Name]}
		l.names[d.Name], l.hashes[d.Hash] = class, class
	}
	for name := range programs {
		if l.names[name] == nil {
			return nil, fmt.Errorf("the class %q has a program but no document", name)
		}
	}
	return l, nil
}

// Named returns a class by its name, which must exist.
func (l *Library) Named(name string) *vm.Class {
	class, ok := l.names[name]
	if !ok {
		panic(fmt.Sprintf("no class is named %q", name))
	}
	return class
}

// Class implements vm.Library.
func (l *Library) Class(hash starknet.Felt) (*vm.Class, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	class, ok := l.hashes[hash]
	return class, ok
}

// Bring adds a client's class, without a program, unless it is known.
func (l *Library) Bring(class *vm.Class) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hashes[class.Hash] == nil {
		l.hashes[class.Hash] = class
	}
}
