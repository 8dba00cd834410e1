package web

import (
	"embed"
	"net/http"
)

//go:embed all:dist
var dist embed.FS

// GraphiQL serves the GraphQL console. It answers /graphiql and everything
// below it, so it is mounted without stripping the prefix.
func GraphiQL() http.Handler {
	return newPage("graphiql", GraphiQLPolicy)
}

// Reference serves the interactive reference of /openapi.json. It answers /docs,
// /docs/licenses.md and /docs/assets/…, mounted without stripping the prefix;
// other paths below /docs are free for the caller.
func Reference() http.Handler {
	return newPage("docs", ReferencePolicy)
}
