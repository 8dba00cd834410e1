package toolchain

import (
	"errors"
	"testing"
)

func TestSourceIsNestedWithoutMovingItsLines(t *testing.T) {
	t.Parallel()
	got, err := Source{Package: "p", ModulePath: "a::b", Text: "one\ntwo // end"}.nested()
	if want := "mod a { mod b { one\ntwo // end\n}}"; err != nil || got != want {
		t.Errorf("the nested text: got %q, %v, want %q", got, err, want)
	}
	got, err = Source{Package: "p", Text: "one\n"}.nested()
	if err != nil || got != "one\n" {
		t.Errorf("the text at the root: got %q, %v, want %q", got, err, "one\n")
	}
}

func TestNamesThatAreNoIdentifiersAreRefused(t *testing.T) {
	t.Parallel()
	for _, source := range []Source{
		{Package: ""},
		{Package: "two words"},
		{Package: "1st"},
		{Package: "p::q"},
		{Package: "p", ModulePath: "a {"},
		{Package: "p", ModulePath: "a::"},
		{Package: "p", ModulePath: "a:b"},
	} {
		if _, err := source.nested(); !errors.Is(err, ErrMalformedSource) {
			t.Errorf("%+v: got %v, want %v", source, err, ErrMalformedSource)
		}
	}
}
