package toolchain

import (
	"errors"
	"testing"
)

func TestSourceIsNestedWithoutMovingItsLines(t *testing.T) {
	t.Parallel()
	got, err := Source{Package: "p", ModulePath: "a::b", Text: "one\ntwo // end"}.nested()
	if want := "mod a { mod b { one\ntwo // end\n}}"; err != nil || got != want {
		t.Errorf("the nested text is %q, %v", got, err)
	}
	got, err = Source{Package: "p", Text: "one\n"}.nested()
	if err != nil || got != "one\n" {
		t.Errorf("the text at the root is %q, %v", got, err)
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
			t.Errorf("%+v answers %v", source, err)
		}
	}
}
