package rest

import (
	"bytes"
	"io"
	"net/http"

	"astrolabe/domain"
	"astrolabe/rest/frame"
	"astrolabe/telemetry"
)

// Refusal returns the whole response to a request that the HTTP server could not
// parse, so that no handler saw it: for example one with a malformed
// percent-encoding in its path. It has the error envelope and a request ID like
// every other error.
func Refusal(status int) []byte {
	id := telemetry.ChooseRequestID("")
	message := "The request is not valid HTTP (" + http.StatusText(status) + ")."
	if status == http.StatusBadRequest {
		message = "The request line or a header is malformed. Percent-encode special characters in the path and the query."
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
