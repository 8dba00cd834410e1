// Package verification resolves the verification jobs of the GraphQL schema: the
// job as its owner sees it, the lists of jobs, and the mutations that create and
// cancel them. The domain decides on jobs, and REST receives their sources.
package verification
