package web

import (
	"embed"
	"net/http"
)

//go:embed all:dist
var dist embed.FS

// Token makes the token with which a page asks for data in the name of the
// client that requested the page.
type Token func(*http.Request) string

// GraphiQL serves the GraphQL console. It answers /graphiql and everything
// below it, so it is mounted without stripping the prefix.
func GraphiQL(token Token) http.Handler {
	return newPage("graphiql", GraphiQLPolicy, token)
}

// Reference serves the interactive reference of /openapi.json. It answers /docs,
// /docs/licenses.md and /docs/assets/…, mounted without stripping the prefix;
// other paths below /docs are free for the caller.
func Reference(token Token) http.Handler {
	return newPage("docs", ReferencePolicy, token)
}
