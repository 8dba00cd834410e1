// Package web holds the pages that Astrolabe shows in a browser: GraphiQL at
// /graphiql and the reference of the REST operations at /docs.
//
// The sources are TypeScript (graphiql/, docs/, shared/); `npm run build` turns
// them into dist/, which is committed and embedded here, so that building the Go
// program needs no Node. Nothing in a page is fetched from another origin, and
// each page has its own content security policy, kept next to its handler.
//
// This package serves files, and each page with a token that its caller makes.
// It knows no data, no key and no other route: the pages ask /graphql and
// /openapi.json, which belong to the facades.
package web
