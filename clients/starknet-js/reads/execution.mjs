// Transactions that are tried, traced, proved and sent.
import assert from 'node:assert/strict';
import { Account } from 'starknet';
import { strk } from './contracts.mjs';

/** Estimates, simulates, traces and sends transactions. */
export async function runTransactions(node, blocks) {
  await readTraces(node, blocks);
  await readProof(node, blocks);
  await estimateMessage(node, blocks);
  const [{ address, private_key: signer }] = await node.control.channel.fetchEndpoint('devnet_getPredeployedAccounts');
  const account = new Account({ provider: node.provider, address, signer });
  assert.equal(await account.getCairoVersion(), '1');
  await trySending(node, account);
  const stranger = new Account({ provider: node.provider, address, signer: '0x1' });
  await assert.rejects(stranger.execute(transferTo(address), bounds(blocks)), ({ baseError }) => baseError.code === 55);
  node.count('wrong signatures refused');
}

const transferTo = (address) => ({ contractAddress: strk, entrypoint: 'transfer', calldata: [address, 1, 0] });

/** Returns the bounds of some transaction, with which one can be sent without an estimate. */
function bounds(blocks) {
  const mapped = Object.entries(newest(blocks, 'INVOKE', '0x3').resource_bounds).map(([resource, bound]) => [
    resource, { max_amount: BigInt(bound.max_amount), max_price_per_unit: BigInt(bound.max_price_per_unit) },
  ]);
  return { resourceBounds: Object.fromEntries(mapped) };
}

/** Returns the newest successful transaction of a type and version. */
function newest(blocks, type, version) {
  return blocks.flatMap((block) => block.transactions).findLast(({ transaction, receipt }) =>
    transaction.type === type && transaction.version === version && receipt.execution_status === 'SUCCEEDED').transaction;
}

async function readTraces({ provider, count }, blocks) {
  for (const block of blocks.slice(-20)) {
    const traces = await provider.getBlockTransactionsTraces(block.block_number);
    assert.deepEqual(traces.map((t) => t.transaction_hash), block.transactions.map(({ receipt }) => receipt.transaction_hash));
    for (const { transaction_hash: hash, trace_root: root } of traces) {
      assert.deepEqual(await provider.getTransactionTrace(hash), root);
      count('traces');
    }
  }
}

async function readProof({ provider, head, count }, blocks) {
  const [{ address, storage_entries: [{ key }] }] = blocks.findLast(({ update }) => update.storage_diffs.length > 0).update.storage_diffs;
  const classHash = await provider.getClassHashAt(address, head);
  const proof = await provider.getStorageProof([classHash], [address], [{ contract_address: address, storage_keys: [key] }], head);
  assert.equal(proof.global_roots.block_hash, blocks.at(-1).block_hash);
  assert.equal(proof.contracts_proof.contract_leaves_data[0].class_hash, classHash);
  count('storage proofs');
}

async function estimateMessage({ provider, count }, blocks) {
  const message = newest(blocks, 'L1_HANDLER', '0x0');
  const [from, ...payload] = message.calldata;
  const fee = await provider.estimateMessageFee({
    from_address: `0x${from.slice(2).padStart(40, '0')}`, to_address: message.contract_address,
    entry_point_selector: message.entry_point_selector, payload,
  });
  assert.equal(fee.unit, 'WEI');
  assert.ok(BigInt(fee.overall_fee) > 0n);
  count('fee estimates');
}

/** Estimates and simulates a transfer, sends it and waits until it is in a block. */
async function trySending({ provider, count }, account) {
  const transfer = transferTo(account.address);
  const fee = await account.estimateInvokeFee(transfer);
  assert.ok(fee.overall_fee > 0n);
  assert.equal(fee.unit, 'FRI');
  count('fee estimates');
  const { simulated_transactions: [simulated] } = await account.simulateTransaction([{ type: 'INVOKE', ...transfer }]);
  assert.equal(simulated.transaction_trace.type, 'INVOKE');
  assert.ok(simulated.transaction_trace.execute_invocation.calls.length > 0);
  count('simulated transactions');
  const { transaction_hash: hash } = await account.execute(transfer);
  const receipt = await provider.waitForTransaction(hash, { retryInterval: 200 });
  assert.ok(receipt.isSuccess());
  assert.equal((await provider.getTransaction(hash)).sender_address, account.address);
  count('transactions sent');
}
