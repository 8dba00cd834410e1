// Package integrity decides whether a node told the truth about a block.
//
// Verify recomputes what can be recomputed from the node's answers and compares
// it with what they state: hashes of transactions, addresses of deployments,
// commitments, and the block's hash. A difference is a *MismatchError, which
// names the field and both values. Continues does the same for the state roots
// of consecutive blocks, and VerifyContracts for the contracts that exist between
// them. What could not be reproduced, and may yet be honest, is
// a doubt of the verdict; Verdict.Follows decides whether it is honest after the
// block before. Nothing here does I/O.
//
// What no hash commits to cannot be verified at any level:
//
//   - the finality status of a block and of its receipts;
//   - the unit of the fee of an L1 handler, which pays none;
//   - the L2 gas that a transaction consumed, for which receipts hash zero;
//   - the order of the lists in a state diff, which has no meaning;
//   - before Starknet 0.13.2: receipts other than their events, which transaction
//     emitted an event (the order of the block's events and their number are
//     committed to), state diffs beyond the deployments and declarations that
//     transactions name, gas prices, the data availability mode and the version;
//   - before 0.11.1: signatures of transactions other than invokes;
//   - before 0.7 on mainnet: also events, timestamps and sequencers;
//   - the version, the maximum fee and the nonce of transactions whose hash is
//     of a formula from before transactions had them;
//   - what a partial history asks about the state before its first block: the
//     class of a contract, whether a contract existed, and the slots of a proxy.
//     All upstreams are asked and must agree; a single one is believed.
package integrity
