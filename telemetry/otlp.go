package telemetry

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// otlpSpan is a span in OTLP's JSON encoding, in which 64-bit integers are
// strings.
type otlpSpan struct {
	TraceID  string     `json:"traceId"`
	SpanID   string     `json:"spanId"`
	ParentID string     `json:"parentSpanId,omitempty"`
	Name     string     `json:"name"`
	Kind     SpanKind   `json:"kind"`
	Start    string     `json:"startTimeUnixNano"`
	End      string     `json:"endTimeUnixNano"`
	Status   otlpStatus `json:"status"`
}

type otlpStatus struct {
	Code int `json:"code,omitempty"`
}

// otlpFailed is the code of a span that failed.
const otlpFailed = 2

type otlpMessage struct {
	ResourceSpans [1]otlpResourceSpans `json:"resourceSpans"`
}

// otlpResourceSpans are the spans of one process.
type otlpResourceSpans struct {
	Resource struct {
		Attributes []otlpAttribute `json:"attributes"`
	} `json:"resource"`
	ScopeSpans [1]otlpScopeSpans `json:"scopeSpans"`
}

type otlpScopeSpans struct {
	Scope struct {
		Name string `json:"name"`
	} `json:"scope"`
	Spans []otlpSpan `json:"spans"`
}

type otlpAttribute struct {
	Key   string `json:"key"`
	Value struct {
		String string `json:"stringValue"`
	} `json:"value"`
}

func otlpText(key, value string) (a otlpAttribute) {
	a.Key, a.Value.String = key, value
	return a
}

// finished is the span as it is sent.
func (s *Span) finished() otlpSpan {
	out := otlpSpan{
		TraceID: hex.EncodeToString(s.place.trace[:]),
		SpanID:  hex.EncodeToString(s.place.span[:]),
		Name:    s.name,
		Kind:    s.kind,
		Start:   strconv.FormatInt(s.started.UnixNano(), 10),
		End:     strconv.FormatInt(s.started.Add(time.Since(s.started)).UnixNano(), 10),
	}
	if s.parent != (spanID{}) {
		out.ParentID = hex.EncodeToString(s.parent[:])
	}
	if s.failed {
		out.Status.Code = otlpFailed
	}
	return out
}

// post sends one batch.
func (e *exporter) post(ctx context.Context, spans []otlpSpan) error {
	var process otlpResourceSpans
	process.Resource.Attributes = []otlpAttribute{otlpText("service.name", "astrolabe"), otlpText("service.version", e.version)}
	process.ScopeSpans[0].Scope.Name = "astrolabe"
	process.ScopeSpans[0].Spans = spans
	body, err := json.Marshal(otlpMessage{[1]otlpResourceSpans{process}})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(request)
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err // the URL may hold a key
	}
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode >= 300 {
		return fmt.Errorf("the trace endpoint answered %s", response.Status)
	}
	return nil
}
