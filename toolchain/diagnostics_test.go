package toolchain

import (
	"strings"
	"testing"
)

func TestLongestCopyOfADiagnosticIsRecovered(t *testing.T) {
	t.Parallel()
	memory := "\x00\x01found.\n --> lib.cairo:6:53\n    x\n\xffot found.\n --> lib.cairo:6:53\n\x00" +
		"ed variable.\n --> lib.cairo:2:1\n\x00\n --> lib.cairo:9:9\n\x00 message\n --> lib.cairo:x:1\n\x00 --> lib.cairo:1:1"
	err := &CompileError{Answer: "Compilation failed.", Diagnostics: findDiagnostics([]byte(memory))}
	want := "Cairo compiler: Compilation failed.\n2:1: ed variable.\n6:53: ot found."
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func FuzzFindDiagnostics(f *testing.F) {
	f.Add([]byte("not found.\n --> lib.cairo:6:53\n"))
	f.Add([]byte("\n --> lib.cairo:"))
	f.Fuzz(func(t *testing.T, memory []byte) {
		for _, d := range findDiagnostics(memory) {
			if d.Message == "" || strings.ContainsAny(d.Message, "\n\x00") {
				t.Errorf("got the message %q, want one line of text", d.Message)
			}
		}
	})
}
