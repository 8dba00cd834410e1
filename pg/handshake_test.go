package pg

import (
	"bytes"
	"strings"
	"testing"
)

const (
	authenticated = "R\x00\x00\x00\x08\x00\x00\x00\x00"
	parameter     = "S\x00\x00\x00\x0bjit\x00on\x00"
	readyForQuery = "Z\x00\x00\x00\x05I"
)

func TestServerResponseIsParsed(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		authenticated + parameter + readyForQuery:            "",
		"E\x00\x00\x00\x16SFATAL\x00Mstarting\x00\x00":       "rejected the session: starting",
		"E\x00\x00\x00\x05\x00":                              "no reason given",
		"R\x00\x00\x00\x0c\x00\x00\x00\x05salt":              "asks for a password",
		"R\x00\x00\x00\x04":                                  "asks for a password",
		"HTTP/1.1 400 Bad Request\r\n":                       "not the Postgres protocol",
		"Z\x00\x00\x00\x00":                                  "not the Postgres protocol",
		authenticated:                                        "EOF",
		authenticated + readyForQuery[:len(readyForQuery)-1]: "EOF",
	} {
		err := awaitReady(strings.NewReader(answer))
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("awaitReady(%q) = %v, want %q", answer, err, want)
		}
	}
}

func FuzzServersAnswer(f *testing.F) {
	f.Add([]byte(authenticated + parameter + readyForQuery))
	f.Add([]byte("E\x00\x00\x00\x16SFATAL\x00Mstarting\x00\x00"))
	f.Add([]byte("R\x00\x00\x00\x04"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		if err := awaitReady(bytes.NewReader(answer)); err == nil && !bytes.Contains(answer, []byte{'Z', 0}) {
			t.Fatalf("got %q as ready, want an error", answer)
		}
	})
}
