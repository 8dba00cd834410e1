package address

import (
	"testing"

	"astrolabe/domain"
)

// TestEveryShippedLabelIsValid holds the registry to the
// rules of labels.
func TestEveryShippedLabelIsValid(t *testing.T) {
	t.Parallel()
	for _, c := range domain.Chains {
		var documents []addressDocument
		readRegistry(string(c), &documents)
		r := registryOf(c)
		if len(documents) != len(r.labels) {
			t.Errorf("%s: got %d labelled addresses, want all %d, each named once", c, len(r.labels), len(documents))
		}
		for address, label := range r.labels {
			if err := (&Note{Felt: address, Label: label}).check(); err != nil || label.Protocol == nil || label.Protocol.Kind == "" || address.IsZero() {
				t.Errorf("%s: got %+v and %v, want a valid label with a protocol of some kind", address, label, err)
			}
		}
		for class, label := range r.classes {
			if err := (&Note{Felt: class, Label: label}).check(); err != nil || label.Protocol == nil || label.Confidence == High {
				t.Errorf("class %s: got %+v and %v, want a valid label with a protocol and less than high confidence", class, label, err)
			}
		}
	}
}
