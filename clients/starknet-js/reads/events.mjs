// Events, page by page.
import assert from 'node:assert/strict';

/** Reads all events up to the head and compares them with those of all receipts. */
export async function readEvents(node, blocks) {
  const expected = blocks.flatMap((block) => block.transactions.flatMap(({ receipt }) =>
    receipt.events.map((event) => ({ ...event, transaction_hash: receipt.transaction_hash, block_number: block.block_number }))));
  await readPages(node, expected);
  await readFiltered(node, expected);
}

async function page({ provider, count }, filter) {
  const events = [];
  let token;
  do {
    const chunk = await provider.getEvents({ ...filter, continuation_token: token });
    events.push(...chunk.events);
    token = chunk.continuation_token;
    count('pages of events');
  } while (token);
  return events;
}

async function readPages(node, expected) {
  const events = await page(node, { from_block: { block_number: 0 }, to_block: { block_number: node.head }, chunk_size: 512 });
  assert.equal(events.length, expected.length);
  for (const [i, event] of events.entries()) {
    assert.deepEqual([event.from_address, event.keys, event.data, event.transaction_hash, event.block_number],
      [expected[i].from_address, expected[i].keys, expected[i].data, expected[i].transaction_hash, expected[i].block_number]);
  }
  node.count('events', events.length);
}

async function readFiltered(node, expected) {
  const { from_address: address, keys: [selector] } = expected.find((event) => event.keys.length > 1);
  const filter = { from_block: { block_number: 0 }, to_block: { block_number: node.head }, chunk_size: 100 };
  const events = await page(node, { ...filter, address, keys: [[selector]] });
  const matching = expected.filter((event) => event.from_address === address && event.keys[0] === selector);
  assert.equal(events.length, matching.length);
}
