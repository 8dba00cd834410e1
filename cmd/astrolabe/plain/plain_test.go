package plain

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"

	"astrolabe/domain"
)

func TestErrorsOfTheSystemAreSaidInPlainWords(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, inUse := net.Listen("tcp", taken.Addr().String())
	_, absent := os.Open("/nowhere/file")
	for want, err := range map[string]error{
		"--addr: " + taken.Addr().String() + " is in use by another process": fmt.Errorf("--addr: %w", inUse),
		"read a secret: /nowhere/file does not exist":                        fmt.Errorf("read a secret: %w", absent),
		"ask the node: there was no answer in time":                          fmt.Errorf("ask the node: %w", context.DeadlineExceeded),
		"The limit is 5.": domain.Errorf(domain.CodeInvalidRequest, "The limit is %d.", 5),
		"one line":        fmt.Errorf("one\nline"),
	} {
		if got := Message(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
