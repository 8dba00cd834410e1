// Package graph is the GraphQL facade: schema.graphql served over HTTP,
// WebSocket and server-sent events at one path.
//
// It is a stock gqlgen server. Extensions resolve persisted documents, check the
// limits, compute and charge the cost, and render errors. The resolvers are in
// the packages resolver, privacy, verification and proof, the generated code is in
// package exec, and subscriptions are in package live. Facts and decisions come from the domain:
// the package never imports repo or rest, and knows no SQL. It knows REST's paths
// only where it refers clients to them, such as for uploads.
package graph
