package rest

import (
	"bytes"
	"io"
	"net/http"

	"astrolabe/domain"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// refusals are the messages of the statuses that the HTTP server refuses with.
var refusals = map[int]string{
	http.StatusBadRequest:                  "The request line or a header is malformed. Percent-encode special characters in the path and the query.",
	http.StatusRequestHeaderFieldsTooLarge: "The request line and the headers exceed the limit of 64 KiB. Send fewer or shorter headers.",
	http.StatusNotImplemented:              "The Transfer-Encoding of the request is not supported. Use chunked, or send a Content-Length.",
	http.StatusHTTPVersionNotSupported:     "The HTTP version of the request is not supported. Use HTTP/1.1.",
}

// Refusal returns the whole response to a request that the HTTP server could not
// parse, so that no handler saw it: for example one with a malformed
// percent-encoding in its path. It has the error envelope and a request ID like
// every other error.
func Refusal(status int) []byte {
	id := telemetry.ChooseRequestID("")
	message, known := refusals[status]
	if !known {
		message = "The request is not valid HTTP (" + http.StatusText(status) + ")."
	}
	body := frame.Encode(frame.Envelope{Code: domain.CodeInvalidRequest, Message: message, DocSlug: domain.CodeInvalidRequest.DocSlug(), RequestID: id})
	response := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Close: true, Header: http.Header{},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	frame.SetDefaults(response.Header)
	response.Header.Set("X-Request-Id", id)
	response.Header.Set("Content-Type", frame.JSONMedia)
	response.Header.Set("Cache-Control", frame.CacheControl("no-store"))
	var text bytes.Buffer
	_ = response.Write(&text) // a buffer takes everything
	return text.Bytes()
}
