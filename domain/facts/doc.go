// Package facts defines the rows of a block, and derives them from the node's
// response.
//
// A Block holds source facts, copied from the node's answer (header,
// transactions, events, messages, class changes, declarations), and derived
// ones (deployments, transfers, events of privacy pools, activity, schemas).
// Derivers are pure: the same source facts and the same classes in force give
// the same rows, at any time and in any process, so stored rows can be checked
// and made again without the node. Each deriver has a version, which grows when
// its rows change.
//
// Nothing here reads a database or a node, or knows the ids under which
// addresses are stored.
package facts
