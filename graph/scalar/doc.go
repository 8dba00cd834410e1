// Package scalar reads and writes the scalars and enums of the GraphQL schema.
package scalar
