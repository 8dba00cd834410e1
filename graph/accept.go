package graph

import (
	"net/http"
	"strings"

	"github.com/munnerz/goautoneg"
)

// The media types of responses.
const (
	mediaJSON     = "application/json"
	mediaResponse = "application/graphql-response+json"
	mediaStream   = "text/event-stream"
)

// accepted is the result of content negotiation: the preferred JSON media type,
// empty if the client accepts none, and whether it accepts an event stream.
type accepted struct {
	json   string
	stream bool
}

// accepts reads the Accept header. Without one, the client gets application/json.
func accepts(header http.Header) accepted {
	given := strings.Join(header.Values("Accept"), ",")
	if strings.TrimSpace(given) == "" {
		return accepted{json: mediaJSON}
	}
	var a accepted
	best, refused := 0.0, map[string]bool{}
	ranges := mediaRanges(given)
	for _, r := range ranges {
		refused[r.media] = r.weight <= 0
	}
	for _, r := range ranges {
		media := r.media
		switch media {
		case mediaStream:
			a.stream = !refused[media]
			continue
		case mediaResponse, mediaJSON:
		case "*/*", "application/*":
			if media = mediaJSON; refused[media] {
				media = mediaResponse
			}
		default:
			continue
		}
		if !refused[media] && r.weight > best {
			a.json, best = media, r.weight
		}
	}
	return a
}

// mediaRange is an element of an Accept header.
type mediaRange struct {
	media  string
	weight float64
}

// mediaRanges parses an Accept header. The client's order decides between media
// types of equal weight, and goautoneg sorts what it parses, so it gets one
// element at a time.
func mediaRanges(given string) (ranges []mediaRange) {
	for part := range strings.SplitSeq(strings.ToLower(given), ",") {
		for _, r := range goautoneg.ParseAccept(strings.TrimSpace(part)) {
			ranges = append(ranges, mediaRange{r.Type + "/" + r.SubType, r.Q})
		}
	}
	return ranges
}
