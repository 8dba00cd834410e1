// Reads every kind of object of a simulated node with starknet.js: node read.mjs <url> [<url of
// the node>]. The second URL is needed if the first one is a gateway, which has no devnet methods.
// The node must be adding blocks. It prints what was read and fails at the first answer
// that starknet.js cannot use, that contradicts another one, or whose hash it does not
// arrive at itself.
import './websocket.mjs';
import assert from 'node:assert/strict';
import { RpcProvider, constants } from 'starknet';
import { readBlocks } from './reads/blocks.mjs';
import { readClasses } from './reads/classes.mjs';
import { readContracts } from './reads/contracts.mjs';
import { readErrors } from './reads/errors.mjs';
import { readEvents } from './reads/events.mjs';
import { runTransactions } from './reads/execution.mjs';
import { parseEvents } from './reads/parsing.mjs';
import { follow } from './reads/subscriptions.mjs';
import { readTransactions } from './reads/transactions.mjs';

const [url, control = url] = process.argv.slice(2);
if (!url) {
  console.error('usage: node read.mjs <url of the JSON-RPC endpoint> [<url of the node>]');
  process.exit(2);
}

// What starknet.js warns of is a complaint too.
console.warn = console.error = (...words) => {
  process.stderr.write(`starknet.js complains: ${words.join(' ')}\n`);
  process.exit(1);
};

const counts = new Map();
const count = (what, by = 1) => counts.set(what, (counts.get(what) ?? 0) + by);

const provider = await RpcProvider.create({ nodeUrl: url });
assert.match(await provider.getSpecVersion(), /^0\.10\./);
const chainId = await provider.getChainId();
assert.ok(Object.values(constants.StarknetChainId).includes(chainId));
assert.equal(await provider.getSyncingStats(), false);

const head = await provider.getBlockNumber();
const node = { url, provider, control: new RpcProvider({ nodeUrl: control }), chainId, head, count };
const blocks = await readBlocks(node);
await readTransactions(node, blocks);
const state = await readClasses(node, blocks);
await readContracts(node, blocks, state);
await readEvents(node, blocks);
await parseEvents(node, blocks, state);
await runTransactions(node, blocks);
await readErrors(node);
await follow(node);

console.log(`starknet.js read ${chainId} up to block ${head}:`);
for (const [what, number] of counts) console.log(`  ${String(number).padStart(6)} ${what}`);
