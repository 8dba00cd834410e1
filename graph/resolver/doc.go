// Package resolver answers the fields of the GraphQL schema: a file for each
// noun, with its plain fields as members and methods and its edges as methods
// that load. Resolvers ask domain services and nothing else; how a request
// arrives and what it may cost is the business of package graph.
package resolver
