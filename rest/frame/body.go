package frame

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

// DecodeJSON decodes the request body strictly into v: one JSON value of the
// declared media type, within the operation's size limit, without unknown or
// repeated keys. It returns the first violation. An optional body that is empty
// leaves v unchanged.
func (c *Call) DecodeJSON(v any) error {
	if c.operation.OptionalBody && c.request.ContentLength == 0 {
		return nil
	}
	if err := c.requireMedia(JSONMedia); err != nil {
		return err
	}
	body, err := io.ReadAll(c.request.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return domain.Errorf(domain.CodePayloadTooLarge, "The request body exceeds the limit of %d bytes.", c.operation.MaxBody)
	}
	if err != nil {
		return domain.Errorf(domain.CodeInvalidRequest, "The request body ended before it was complete.")
	}
	if e, ok := errors.AsType[*strictjson.Error](strictjson.Decode(body, v)); ok {
		at := ""
		if e.Key == "" && e.Path != "" { // else the message names the key
			at = " at " + domain.Quote(e.Path)
		}
		return domain.Errorf(domain.CodeInvalidRequest, "The request body is invalid%s: %s.", at, e.Message)
	}
	return nil
}

// requireMedia returns unsupported_media_type for a body of another type, and
// for an encoded one.
func (c *Call) requireMedia(want string) error {
	header := c.request.Header
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != want || header.Get("Content-Encoding") != "" {
		return domain.Errorf(domain.CodeUnsupportedMediaType, "The request body must have the Content-Type %s and no Content-Encoding.", want)
	}
	return nil
}
