package frame

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

// DecodeJSON decodes the request body strictly into v: one JSON value of the
// declared media type, within the operation's size limit, without unknown or
// repeated keys. It returns the first violation.
func (c *Call) DecodeJSON(v any) error {
	body, err := c.JSON()
	if err != nil {
		return err
	}
	if e, ok := errors.AsType[*strictjson.Error](strictjson.Decode(body, v)); ok {
		return bodyError(e, reflect.TypeOf(v).Elem())
	}
	return nil
}

// JSON returns the request body, which must be of the declared media type and
// within the operation's size limit. It is not parsed.
func (c *Call) JSON() ([]byte, error) {
	if err := c.requireMedia(JSONMedia); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(c.request.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, c.tooLarge()
	}
	if err != nil {
		return nil, incompleteBody()
	}
	return body, nil
}

func (c *Call) tooLarge() error {
	return domain.Errorf(domain.CodePayloadTooLarge, "The request body exceeds the limit of %d bytes.", c.operation.MaxBody)
}

func incompleteBody() error {
	return domain.Errorf(domain.CodeInvalidRequest, "The request body ended before it was complete.")
}

// DecodeOptionalJSON is DecodeJSON for a body that may be absent; then v is left
// as it is. A media type that is named must be the declared one, with or without
// a body.
func (c *Call) DecodeOptionalJSON(v any) error {
	if header := c.request.Header; header.Get("Content-Type") != "" || header.Get("Content-Encoding") != "" {
		if err := c.requireMedia(JSONMedia); err != nil {
			return err
		}
	}
	first := make([]byte, 1)
	n, err := io.ReadFull(c.request.Body, first)
	if errors.Is(err, io.EOF) {
		return nil
	}
	rest := c.request.Body
	c.request.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(first[:n]), rest), rest}
	return c.DecodeJSON(v)
}

// requireMedia returns unsupported_media_type for a body of another type, and
// for an encoded one.
func (c *Call) requireMedia(want string) error {
	header := c.request.Header
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != want || len(header["Content-Type"]) > 1 || len(header["Content-Encoding"]) > 0 {
		return domain.Errorf(domain.CodeUnsupportedMediaType, "The request body must have the Content-Type %s and no Content-Encoding.", want)
	}
	return nil
}
