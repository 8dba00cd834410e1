package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// place is where in which trace work happens.
type place struct {
	trace   traceID
	span    spanID
	sampled bool // false: whoever began the trace does not want its spans
}

func newTraceID() (id traceID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

func newSpanID() (id spanID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

// StartRequest begins the span of a request, as part of its caller's trace
// when the headers name one.
func StartRequest(ctx context.Context, header http.Header) (context.Context, *Span) {
	if tracing.Load() == nil {
		return ctx, nil
	}
	if callers, ok := readTraceparent(header["Traceparent"]); ok {
		ctx = context.WithValue(ctx, placeKey{}, callers)
	}
	return StartSpan(ctx, "request", ServerSpan)
}

// readTraceparent reads the header of W3C's Trace Context,
// version-trace-span-flags in lower-case hexadecimal. A version that is not
// known yet may say more after the flags.
func readTraceparent(values []string) (at place, ok bool) {
	if len(values) != 1 {
		return place{}, false
	}
	parts := strings.SplitN(values[0], "-", 5)
	if len(parts) < 4 {
		return place{}, false
	}
	var version, flags [1]byte
	if !readHex(version[:], parts[0]) || version[0] == 0xff || (version[0] == 0 && len(parts) > 4) {
		return place{}, false
	}
	if !readHex(at.trace[:], parts[1]) || !readHex(at.span[:], parts[2]) || !readHex(flags[:], parts[3]) {
		return place{}, false
	}
	at.sampled = flags[0]&1 == 1
	return at, at.trace != traceID{} && at.span != spanID{}
}

// readHex fills to from as many lower-case digits.
func readHex(to []byte, text string) bool {
	if len(text) != 2*len(to) || strings.ContainsAny(text, "ABCDEF") {
		return false
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}
