package domain

import (
	"errors"
	"strings"
	"testing"
)

func TestErrorsNameArgumentsInTheFacadesSpelling(t *testing.T) {
	t.Parallel()
	snake := func(a Argument) string {
		if a == "fromBlock" {
			return "from_block"
		}
		return string(a)
	}
	err := Errorf(CodeInvalidRequest, "%s (%d) must not be greater than %s (%d).", Argument("fromBlock"), 9, Argument("to"), 7)
	if want := "fromBlock (9) must not be greater than to (7)."; err.Message != want {
		t.Errorf("got the message %q, want %q", err.Message, want)
	}
	if got, want := err.Named(snake).Message, "from_block (9) must not be greater than to (7)."; got != want {
		t.Errorf("the facade's message is %q, want %q", got, want)
	}
}

func TestErrorsWriteChoicesInTheFacadesSpelling(t *testing.T) {
	t.Parallel()
	err := Errorf(CodeInvalidRequest, "%s requires mode %s.", Argument("limit"), Choice("partial"))
	if want := "limit requires mode partial."; err.Message != want {
		t.Errorf("got the message %q, want %q", err.Message, want)
	}
	upper := func(c Choice) string { return strings.ToUpper(string(c)) }
	first := func(Argument) string { return "first" }
	for _, got := range []string{err.Named(first).Spelled(upper).Message, err.Spelled(upper).Named(first).Message} {
		if want := "first requires mode PARTIAL."; got != want {
			t.Errorf("the facade's message is %q, want %q", got, want)
		}
	}
}

func TestRenamingArgumentsKeepsTheRestOfTheError(t *testing.T) {
	t.Parallel()
	cause := errors.New("refused")
	err := Unavailable(3, cause, "%s cannot be read.", Argument("block"))
	err.Doc = "errors/other"
	got := err.Named(func(Argument) string { return "id" })
	if got.Message != "id cannot be read." || got.RetryAfter != 3 || got.Doc != err.Doc || !errors.Is(got, cause) {
		t.Errorf("got %+v, want %q with the delay, document and cause of %+v", got, "id cannot be read.", err)
	}
	if plain := Errorf(CodeNotFound, "No block."); plain.Named(nil) != plain {
		t.Error("got a copy of an error without arguments, want the same error")
	}
}

func TestQuotedValuesAreTruncated(t *testing.T) {
	t.Parallel()
	if got := Quote(`a"b`); got != `"a\"b"` {
		t.Errorf("got %s, want %s", got, `"a\"b"`)
	}
	if got := Quote(strings.Repeat("é", 500)); len(got) > 80 {
		t.Errorf("got %d bytes for a value of 1000 bytes, want at most 80", len(got))
	}
}
