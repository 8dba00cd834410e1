package strictjson

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// expectError fails unless err is an *Error that says exactly what want says.
func expectError(t *testing.T, err error, want Error) {
	t.Helper()
	got, ok := errors.AsType[*Error](err)
	if !ok {
		t.Errorf("got %v, want %s", err, want.Kind)
		return
	}
	if got.Kind != want.Kind || got.Path != want.Path || got.Key != want.Key || got.Message != want.Message {
		t.Errorf("got  {%s %q %q %s}\nwant {%s %q %q %s}",
			got.Kind, got.Path, got.Key, got.Message, want.Kind, want.Path, want.Key, want.Message)
	}
}

func TestErrorsNeverQuoteValuesOrGoTypes(t *testing.T) {
	t.Parallel()
	type target struct {
		Time   time.Time `json:"time,omitzero"`
		Number uint64    `json:"number,omitzero"`
		Small  int8      `json:"small,omitzero"`
		Float  float64   `json:"float,omitzero"`
		Blob   []byte    `json:"blob,omitzero"`
		Text   string    `json:"text,omitzero"`
	}
	bodies := []string{
		`{"time":"7777"}`, `{"number":7777.7777}`, `{"number":"7777"}`, `{"number":-7777}`, `{"small":7777}`,
		`{"small":7777.0}`, `{"float":7777e7777}`, `{"blob":"=7777"}`, `{"text":7777}`, `{"text":"7777\ud800"}`,
		`{"text":"7777`, `{"text":"7777" 7777}`, `{"text":"7777"} 7777`, `{"text":7777x}`, "{\"text\":\"7777\xff\"}",
	}
	for _, body := range bodies {
		var v target
		err := Decode([]byte(body), &v)
		if err == nil {
			t.Errorf("%s: got no error, want one", body)
			continue
		}
		for _, leak := range []string{"777", "int8", "float64", "uint64", "time.Time", "strictjson", "json:"} {
			if shown := fmt.Sprintf("%v %+v %s", err, err, err); strings.Contains(shown, leak) {
				t.Errorf("%s: got the error %s, want it without %q", body, shown, leak)
			}
		}
	}
}

// celsius is a type that validates its values.
type celsius int

var errTooCold = errors.New("below absolute zero")

func (c *celsius) UnmarshalText(text []byte) error {
	return fmt.Errorf("%w: %s", errTooCold, text)
}

func TestTheCauseOfAnInvalidValueIsReachableButNotShown(t *testing.T) {
	t.Parallel()
	var target struct {
		Degrees celsius `json:"degrees"`
	}
	err := Decode([]byte(`{"degrees":"-300"}`), &target)
	if !errors.Is(err, errTooCold) {
		t.Errorf("got %v, want an error that wraps %v", err, errTooCold)
	}
	want := `invalid value at "/degrees"`
	if got := err.Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestErrorsRepeatOnlyTheStartOfALongKey(t *testing.T) {
	t.Parallel()
	var target struct{}
	err := Decode([]byte(`{"`+strings.Repeat("é", 100_000)+`":1}`), &target)
	expectError(t, err, Error{
		Kind:    UnknownKey,
		Path:    "/" + strings.Repeat("é", 127) + "…",
		Key:     strings.Repeat("é", 32) + "…",
		Message: `unknown key "` + strings.Repeat("é", 32) + `…"`,
	})
}
