package frame

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

// DecodeJSON reads the request's body strictly into v: one JSON value of the
// declared media type, within the operation's limit, without unknown or
// repeated keys. The first thing that does not hold is the error.
func (c *Call) DecodeJSON(v any) error {
	if err := c.requireMedia(JSONMedia); err != nil {
		return err
	}
	body, err := io.ReadAll(c.request.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return domain.Errorf(domain.CodePayloadTooLarge, "the body is larger than this operation accepts")
	}
	if err != nil {
		return domain.Errorf(domain.CodeInvalidRequest, "the body could not be read to its end")
	}
	if e, ok := errors.AsType[*strictjson.Error](strictjson.Decode(body, v)); ok {
		at := ""
		if e.Key == "" && e.Path != "" { // else the message names the key
			at = " at " + shorten(e.Path)
		}
		return domain.Errorf(domain.CodeInvalidRequest, "the body is not acceptable%s: %s", at, e.Message)
	}
	return nil
}

// requireMedia refuses a body of another type, and one that is encoded.
func (c *Call) requireMedia(want string) error {
	header := c.request.Header
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || media != want || header.Get("Content-Encoding") != "" {
		return domain.Errorf(domain.CodeUnsupportedMediaType, "the body must be %s without Content-Encoding", want)
	}
	return nil
}
