// Reads the same objects of a node directly and through a gateway with starknet.js:
// node gateway.mjs <url of the node> <url of the gateway>. It fails at the first difference.
import assert from 'node:assert/strict';
import { RpcProvider } from 'starknet';

const [direct, through] = process.argv.slice(2).map((nodeUrl) => new RpcProvider({ nodeUrl }));
const batched = new RpcProvider({ nodeUrl: process.argv[3], batch: 0 });
if (!process.argv[3]) {
  console.error('usage: node gateway.mjs <url of the node> <url of the gateway>');
  process.exit(2);
}

let compared = 0;
/** Calls a method of all three providers and compares what they return or throw. */
async function same(method, ...args) {
  const [a, b, c] = await Promise.all([direct, through, batched].map((p) => outcome(p, method, args)));
  assert.deepEqual(b, a, `${method} ${JSON.stringify(args)} through the gateway`);
  assert.deepEqual(c, a, `${method} ${JSON.stringify(args)} through the gateway in a batch`);
  compared++;
  return a.value;
}

/** Leaves out the functions of a value, which no two objects share. */
function plain(value) {
  return JSON.parse(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v)));
}

async function outcome(provider, method, args) {
  try {
    return { value: plain(await provider[method](...args)) };
  } catch (error) {
    return { code: error.baseError?.code ?? error.code, message: error.baseError?.message ?? error.message };
  }
}

await same('getSpecVersion');
await same('getChainId');
const head = await direct.getBlockNumber();
const step = Math.max(1, Math.floor(head / 40));
for (let number = 0; number <= head; number += step) {
  const block = await same('getBlockWithReceipts', number);
  await Promise.all([
    same('getBlockWithTxs', block.block_hash),
    same('getBlockWithTxHashes', number),
    same('getStateUpdate', number),
    same('getEvents', { from_block: { block_number: number }, to_block: { block_number: number }, chunk_size: 100 }),
    ...block.transactions.slice(0, 3).flatMap(({ receipt: { transaction_hash: hash } }) => [
      same('getTransactionByHash', hash),
      same('getTransactionReceipt', hash),
      same('getTransactionStatus', hash),
      same('getTransactionTrace', hash),
    ]),
    ...block.transactions.slice(0, 3).flatMap(({ transaction: { sender_address: sender } }) => sender ? [
      same('getNonceForAddress', sender, number),
      same('getClassHashAt', sender, number),
      same('getStorageAt', sender, '0x1', number),
    ] : []),
  ]);
}
await same('getBlockWithTxs', head + 1_000_000);
await same('getTransactionReceipt', '0x123');
await same('getClass', '0x123');
await same('callContract', { contractAddress: '0x123', entrypoint: 'name' }, 1);
console.log(`starknet.js compared ${compared} answers of the node with those of the gateway: no difference`);
