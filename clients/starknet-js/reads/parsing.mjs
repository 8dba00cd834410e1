// Events in the words of the ABI of the class that emitted them.
import assert from 'node:assert/strict';
import { Contract, createTransactionReceipt } from 'starknet';

/** Parses the events of all receipts. */
export async function parseEvents(node, blocks, { classes, contracts }) {
  const parsers = new Map();
  const parser = (address, classHash) => {
    const key = `${address} ${classHash}`;
    if (!parsers.has(key)) {
      parsers.set(key, new Contract({ abi: classes.get(classHash).abi, address, providerOrAccount: node.provider }));
    }
    return parsers.get(key);
  };
  const receipts = blocks.flatMap((block) => block.transactions.map(({ receipt }) => receipt));
  for (const receipt of receipts.filter((r) => r.execution_status === 'SUCCEEDED')) {
    for (const event of receipt.events) {
      const single = createTransactionReceipt({ ...receipt, events: [event] });
      const usual = contracts.get(event.from_address).map((classHash) => parser(event.from_address, classHash));
      let outcome = best(usual, single);
      if (outcome !== parsed && !usual[0].functions.emit_raw) {
        // The class was in force for a part of the block only: the trace knows it.
        const trace = await node.provider.getTransactionTrace(receipt.transaction_hash);
        const hashes = [...classesOf(trace.execute_invocation, event.from_address)];
        outcome = best(hashes.map((classHash) => parser(event.from_address, classHash)), single);
        assert.equal(outcome, parsed, `an event of ${receipt.transaction_hash}`);
        node.count('events of classes known from traces only');
      }
      node.count(`events ${outcome}`);
    }
  }
}

const [parsed, unfit, unknown] = ['parsed by an ABI', 'that do not fit their ABI', 'unknown to their ABI'];

/** Returns the best that any of the parsers makes of the one event of a receipt. */
function best(parsers, receipt) {
  const outcomes = parsers.map((contract) => {
    try {
      return contract.parseEvents(receipt).length === 1 ? parsed : unknown;
    } catch {
      return unfit;
    }
  });
  return [parsed, unfit, unknown].find((outcome) => outcomes.includes(outcome));
}

/** Yields the classes by which a contract was called in an invocation. */
function* classesOf(invocation, address) {
  if (invocation.contract_address === address) yield invocation.class_hash;
  for (const call of invocation.calls) yield* classesOf(call, address);
}
