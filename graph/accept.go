package graph

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// The media types of answers.
const (
	mediaJSON     = "application/json"
	mediaResponse = "application/graphql-response+json"
	mediaStream   = "text/event-stream"
)

// accepted is what a client reads: the JSON that it likes best, empty when it
// takes none, and whether it takes an event stream.
type accepted struct {
	json   string
	stream bool
}

// accepts reads the Accept header. A client that does not say is given
// application/json.
func accepts(header http.Header) accepted {
	given := strings.Join(header.Values("Accept"), ",")
	if strings.TrimSpace(given) == "" {
		return accepted{json: mediaJSON}
	}
	var a accepted
	best := 0.0
	for part := range strings.SplitSeq(given, ",") {
		media, attributes, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		weight := 1.0
		if q, ok := attributes["q"]; ok {
			weight, _ = strconv.ParseFloat(q, 64)
		}
		if weight <= 0 {
			continue
		}
		switch media {
		case mediaStream:
			a.stream = true
			continue
		case mediaResponse, mediaJSON:
		case "*/*", "application/*":
			media = mediaJSON
		default:
			continue
		}
		if weight > best {
			a.json, best = media, weight
		}
	}
	return a
}
