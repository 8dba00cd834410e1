// Package cohort loads the edges of a GraphQL result in batches that do not
// depend on scheduling. A cohort is the set of objects that one read produced;
// Load reads the facts of all their keys with one dataloader, and Cache keeps
// facts for the reads that follow. docs/adr/0006-deterministic-loaders.md says
// why. The package knows no GraphQL type and no service: package resolver names
// the facts and makes objects of them.
package cohort
