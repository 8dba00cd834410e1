// Package web serves Astrolabe's pages: GraphiQL at /graphiql and the reference
// of the REST operations at /docs.
//
// The sources are TypeScript (graphiql/, docs/, shared/); `npm run build` turns
// them into dist/, which is committed and embedded here, so that building the Go
// program needs no Node. Nothing in a page is fetched from another origin, and
// each page has its own content security policy, kept next to its handler.
//
// This package serves files, and adds a token from its caller to each page. It
// knows no data, no keys and no other routes: the pages call /graphql and
// /openapi.json, which the facades serve.
package web
