// Package verification resolves the verification jobs of the GraphQL schema: the
// job as its owner sees it, the lists of jobs, the mutations that create and
// cancel them, and the subscription that follows one. It also resolves what
// everybody may know: whether contracts can be verified, and the keys that sign
// receipts. The domain decides on jobs, and REST receives their sources.
package verification
