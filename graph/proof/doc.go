// Package proof resolves the proof jobs of the GraphQL schema: their status, for
// their workspace. It neither carries nor takes what a job delivers, which only GET
// of REST does, and it cannot submit.
package proof
