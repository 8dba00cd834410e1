// Package openapi holds the service's OpenAPI 3.1 document.
//
// Paths, parameters, security, extensions and error responses come from the
// operation table of package rest; info.yaml and the files of
// operations/ and schemas/, one for each noun, are written by hand. "make generate" merges them into
// openapi.json and openapi.yaml, which are committed and embedded here.
package openapi
