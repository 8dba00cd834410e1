package web

import (
	"embed"
	"net/http"
)

//go:embed all:dist
var dist embed.FS

// Token returns the token with which a page requests data on behalf of the
// client that requested the page.
type Token func(*http.Request) string

// GraphiQL serves the GraphQL console. It serves /graphiql and everything below
// it, and must be mounted without stripping the prefix.
func GraphiQL(token Token) http.Handler {
	return newPage("graphiql", GraphiQLPolicy, token)
}

// Reference serves the interactive reference of /openapi.json. It serves /docs,
// /docs/licenses.md and /docs/assets/…, mounted without stripping the prefix;
// other paths below /docs are free for the caller.
func Reference(token Token) http.Handler {
	return newPage("docs", ReferencePolicy, token)
}
