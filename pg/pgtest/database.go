package pgtest

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"
)

// A Template fills an empty database once, for example with the schema. It
// must close its connections before it returns. Templates are told apart by
// their code: use a declared function, or a literal that captures nothing.
type Template = func(ctx context.Context, url string) error

// Database answers the URL of a new database that is a clone of what template
// made; a nil template gives an empty one. The database is dropped when the
// test ends, with whatever is still connected to it.
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

// Shared answers the URL of a clone that is made once for all tests of the
// process, which change nothing that another of them reads. Whoever opens it for
// all of them closes it by AfterTests.
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

// AfterTests calls a function after the last test, before the server ends. There
// is one: a test has its URL.
func AfterTests(call func()) {
	hostMu.Lock()
	defer hostMu.Unlock()
	current.closers = append(current.closers, call)
}

const emptyTemplate = "template0"

// filled is a template's database; the first test that needs it makes it.
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
