package main

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

// ambiguous matches plain text that some reader of YAML 1.1 or 1.2 takes for a
// number, a date, a boolean or null. The encoder quotes only what it would
// misread itself: it leaves hexadecimal numbers of more than 64 bits plain.
var ambiguous = regexp.MustCompile(`^([-+.]?[0-9].*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|~|=|<<|(?i:y|yes|n|no|on|off|true|false|null))$`)

// quoteAmbiguous quotes strings that are ambiguous, keys included, so that the
// document has the same values for every reader.
func quoteAmbiguous(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" && node.Style == 0 && ambiguous.MatchString(node.Value) {
		node.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range node.Content {
		quoteAmbiguous(child)
	}
}
