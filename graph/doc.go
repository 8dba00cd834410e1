// Package graph is the GraphQL facade: schema.graphql served over HTTP,
// WebSocket and server-sent events at one path.
//
// An operation is read by a transport, prepared (persisted text, parsing,
// limits, validation, coercion, cost), executed by gqlgen and rendered in one
// place. Wire types live next to their resolvers; what several parents need
// is read for all of them at once, through cohorts. Facts and decisions come
// from the domain: the package never imports repo or rest, and it knows
// neither SQL nor REST's paths.
package graph
