package openapi

import _ "embed"

//go:generate go run astrolabe/rest/openapi/generate

// JSON is the document in JSON.
//
//go:embed openapi.json
var JSON []byte

// YAML is the same document in YAML.
//
//go:embed openapi.yaml
var YAML []byte
