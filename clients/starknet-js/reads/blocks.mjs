// Blocks in every form and state updates.
import assert from 'node:assert/strict';

/** Reads all blocks up to the head and returns them with their receipts. */
export async function readBlocks(node) {
  const { provider, head, count } = node;
  const blocks = [];
  for (let number = 0; number <= head; number++) {
    const block = await provider.getBlockWithReceipts(number);
    await checkForms(node, block, number);
    if (number > 0) assert.equal(block.parent_hash, blocks[number - 1].block_hash);
    blocks.push(block);
    count('blocks, each in four forms by number and hash');
  }
  await checkTags(node);
  return blocks;
}

async function checkForms({ provider, count }, block, number) {
  assert.equal(block.block_number, number);
  const hashes = block.transactions.map(({ receipt }) => receipt.transaction_hash);
  for (const id of [number, block.block_hash]) {
    const bare = await provider.getBlockWithTxHashes(id);
    assert.deepEqual(bare.transactions, hashes);
    const full = await provider.getBlockWithTxs(id);
    assert.deepEqual(full.transactions.map((t) => t.transaction_hash), hashes);
    for (const [i, { transaction_hash, ...rest }] of full.transactions.entries()) {
      assert.deepEqual(rest, block.transactions[i].transaction, transaction_hash);
    }
    assert.deepEqual((await provider.getBlock(id)).transactions, hashes);
    assert.equal(await provider.getBlockTransactionCount(id), hashes.length);
  }
  assert.equal(block.transaction_count, hashes.length);
  assert.equal(block.event_count, block.transactions.reduce((sum, { receipt }) => sum + receipt.events.length, 0));
  await checkStateUpdate(provider, block, count);
}

async function checkStateUpdate(provider, block, count) {
  const update = await provider.getStateUpdate(block.block_number);
  assert.equal(update.block_hash, block.block_hash);
  assert.equal(update.new_root, block.new_root);
  block.update = update.state_diff;
  count('state updates');
  if (update.state_diff.nonces.length === 0) return;
  const address = update.state_diff.nonces[0].contract_address;
  const narrowed = await provider.getStateUpdate(block.block_hash, [address]);
  assert.deepEqual(narrowed.state_diff.nonces, [update.state_diff.nonces[0]]);
}

async function checkTags({ provider, head, count }) {
  const latest = await provider.getBlock('latest');
  assert.ok(latest.block_number >= head);
  const accepted = await provider.getBlock('l1_accepted');
  assert.equal(accepted.status, 'ACCEPTED_ON_L1');
  assert.ok(accepted.block_number < latest.block_number);
  const next = await provider.getBlock('pre_confirmed');
  assert.ok(next.block_number > head);
  assert.deepEqual([next.block_hash, next.status], [undefined, undefined]);
  assert.ok((await provider.getBlockWithReceipts('pre_confirmed')).block_number > head);
  assert.ok((await provider.getBlockWithTxs('pre_confirmed')).block_number > head);
  assert.ok((await provider.getStateUpdate('pre_confirmed')).state_diff);
  assert.ok((await provider.getBlockLatestAccepted()).block_number >= head);
  const prices = await provider.getGasPrices('latest');
  assert.ok(prices.l1GasPrice > 0n && prices.l2GasPrice > 0n && prices.l1DataGasPrice > 0n);
  assert.match(await provider.getStarknetVersion('latest'), /^0\.\d+\.\d+/);
  assert.ok((await provider.getEstimateTip('latest', { maxBlocks: 3, minTxsNecessary: 1 })).recommendedTip >= 0n);
  count('blocks by tag', 3);
}
