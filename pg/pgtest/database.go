package pgtest

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"
)

// A Template fills an empty database once, for example with the schema. It must
// close its connections before it returns. Templates are identified by their
// code: use a declared function, or a literal that captures nothing.
type Template = func(ctx context.Context, url string) error

// Database returns the URL of a new database, cloned from the template; a nil
// template gives an empty one. The database is dropped when the test ends, even
// if connections are open.
func Database(tb testing.TB, template Template) string {
	tb.Helper()
	h, err := theHost()
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	source := emptyTemplate
	if template != nil {
		if source, err = h.template(tb.Context(), template); err != nil {
			tb.Fatalf("pgtest: fill the template database: %v", err)
		}
	}
	name := h.newName("test")
	if err := h.create(tb.Context(), name, source); err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := h.drop(ctx, name); err != nil {
			tb.Errorf("pgtest: %v", err)
		}
	})
	return h.url(name)
}

// Shared returns the URL of a clone that all tests of the process share. They
// must not change what another of them reads. Code that opens it for all tests
// closes it with AfterTests.
func Shared(tb testing.TB, template Template) string {
	tb.Helper()
	h, err := theHost()
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	source, err := h.template(tb.Context(), template)
	if err != nil {
		tb.Fatalf("pgtest: fill the template database: %v", err)
	}
	name, err := h.shared(tb.Context(), source)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return h.url(name)
}

// AfterTests registers a function to call after the last test, before the server
// stops. Call it after Database or Shared.
func AfterTests(call func()) {
	hostMu.Lock()
	defer hostMu.Unlock()
	current.closers = append(current.closers, call)
}

const emptyTemplate = "template0"

// filled is the database of a template, created by the first test that needs
// it.
type filled struct {
	once sync.Once
	name string
	err  error
}

func (h *host) template(ctx context.Context, fill Template) (string, error) {
	key := reflect.ValueOf(fill).Pointer()
	h.mu.Lock()
	made := h.templates[key]
	if made == nil {
		made = &filled{name: h.newName("template")}
		h.templates[key] = made
	}
	h.mu.Unlock()
	made.once.Do(func() {
		ctx := context.WithoutCancel(ctx) // other tests wait for it too
		if made.err = h.create(ctx, made.name, emptyTemplate); made.err == nil {
			made.err = fill(ctx, h.url(made.name))
		}
	})
	return made.name, made.err
}

func (h *host) shared(ctx context.Context, source string) (string, error) {
	name := "shared_" + source
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.clones[source] {
		return name, nil
	}
	err := h.create(context.WithoutCancel(ctx), name, source)
	h.clones[source] = err == nil
	return name, err
}

func (h *host) create(ctx context.Context, name, source string) error {
	return h.execute(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s%s", name, source, copies))
}

func (h *host) drop(ctx context.Context, name string) error {
	return h.execute(ctx, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name))
}
