package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
)

// otlpExporter posts spans in OTLP's JSON encoding. The stock exporter brings
// gRPC and protobuf along, which would weigh more than the rest of telemetry.
type otlpExporter struct {
	url    string
	client *http.Client
}

type otlpValue struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"` // 64-bit integers are strings in OTLP's JSON
	Double *float64 `json:"doubleValue,omitempty"`
}

type otlpAttribute struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

type otlpSpan struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	ParentID   string          `json:"parentSpanId,omitempty"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes"`
	Status     struct {
		Code int `json:"code,omitempty"`
	} `json:"status"`
}

type otlpScope struct {
	Scope struct {
		Name string `json:"name"`
	} `json:"scope"`
	Spans []otlpSpan `json:"spans"`
}

type otlpResource struct {
	Resource struct {
		Attributes []otlpAttribute `json:"attributes"`
	} `json:"resource"`
	ScopeSpans []otlpScope `json:"scopeSpans"`
}

// ExportSpans sends one batch. All spans of a process share one resource.
func (e otlpExporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	var batch otlpResource
	batch.Resource.Attributes = otlpAttributes(spans[0].Resource().Attributes())
	scopes := map[string]int{}
	for _, span := range spans {
		name := span.InstrumentationScope().Name
		at, seen := scopes[name]
		if !seen {
			at = len(batch.ScopeSpans)
			scopes[name] = at
			var scope otlpScope
			scope.Scope.Name = name
			batch.ScopeSpans = append(batch.ScopeSpans, scope)
		}
		batch.ScopeSpans[at].Spans = append(batch.ScopeSpans[at].Spans, toOTLP(span))
	}
	body, err := json.Marshal(map[string][]otlpResource{"resourceSpans": {batch}})
	if err != nil {
		return err
	}
	return e.post(ctx, body)
}

// Shutdown has nothing to close: the batcher flushes before it calls this.
func (e otlpExporter) Shutdown(context.Context) error { return nil }

func (e otlpExporter) post(ctx context.Context, body []byte) error {
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

func toOTLP(span trace.ReadOnlySpan) otlpSpan {
	out := otlpSpan{
		TraceID:    span.SpanContext().TraceID().String(),
		SpanID:     span.SpanContext().SpanID().String(),
		Name:       span.Name(),
		Kind:       int(span.SpanKind()),
		Start:      strconv.FormatInt(span.StartTime().UnixNano(), 10),
		End:        strconv.FormatInt(span.EndTime().UnixNano(), 10),
		Attributes: otlpAttributes(span.Attributes()),
	}
	if span.Parent().HasSpanID() {
		out.ParentID = span.Parent().SpanID().String()
	}
	switch span.Status().Code {
	case codes.Ok:
		out.Status.Code = 1
	case codes.Error:
		out.Status.Code = 2
	}
	return out
}

func otlpAttributes(attributes []attribute.KeyValue) []otlpAttribute {
	out := make([]otlpAttribute, 0, len(attributes))
	for _, a := range attributes {
		var value otlpValue
		switch a.Value.Type() {
		case attribute.BOOL:
			value.Bool = new(a.Value.AsBool())
		case attribute.INT64:
			value.Int = new(strconv.FormatInt(a.Value.AsInt64(), 10))
		case attribute.FLOAT64:
			value.Double = new(a.Value.AsFloat64())
		default:
			value.String = new(a.Value.String())
		}
		out = append(out, otlpAttribute{Key: string(a.Key), Value: value})
	}
	return out
}
