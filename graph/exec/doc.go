// Package exec holds the code that gqlgen generates from schema.graphql. It
// executes operations with the types and methods of package resolver.
package exec

//go:generate go tool gqlgen generate
