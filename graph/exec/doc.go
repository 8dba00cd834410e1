// Package exec is what gqlgen generates from schema.graphql: how operations
// are executed over the types and methods of package resolver.
package exec

//go:generate go tool gqlgen generate
