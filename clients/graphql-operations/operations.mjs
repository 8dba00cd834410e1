// The operations that every GraphQL client runs against the program, and what
// must come back. A client is given as two functions that take an operation's
// text and variables: ask returns the answer, first the first result of a
// subscription; both as { data, errors }.
import assert from 'node:assert/strict';

const chain = 'SN_MAIN';
const felt = /^0x(0|[1-9a-f][0-9a-f]*)$/;
const pageSize = 4;

export const blocksPage = /* GraphQL */ `
  query BlocksPage($chain: ChainId!, $first: Int!, $after: Cursor) {
    blocks(chain: $chain, first: $first, after: $after) {
      edges { cursor node { __typename id blockNumber blockHash parentHash } }
      pageInfo { hasNextPage endCursor }
    }
  }`;

export const blockByID = /* GraphQL */ `
  query BlockByID($id: ID!) {
    node(id: $id) { __typename id ... on Block { blockNumber blockHash } }
  }`;

export const nested = /* GraphQL */ `
  query Nested($chain: ChainId!, $first: Int!) {
    blocks(chain: $chain, first: $first) {
      nodes {
        id
        transactions(first: 5) {
          nodes {
            id txHash
            sender { id address label }
            receipt { actualFeeRaw }
            events(first: 5) {
              nodes { contract { id address token { id symbol decimals } } decodedFields { label displayValue } }
            }
          }
        }
      }
    }
  }`;

export const missing = /* GraphQL */ `
  query Missing($chain: ChainId!) {
    status(chain: $chain) { chainId }
    transaction(chain: $chain, hash: "0x1") { id txHash }
  }`;

export const beyond = /* GraphQL */ `
  query Beyond($chain: ChainId!) {
    transactionPreviews(chain: $chain, hashes: ["0x1"]) { found }
  }`;

export const follow = /* GraphQL */ `
  subscription Follow($chain: ChainId!) {
    chainStatus(chain: $chain) { chainId asOf headBlockNumber }
  }`;

/** Runs all operations and fails unless every answer is right. */
export async function check(name, { ask, first }) {
  const blocks = await readPages(ask);
  await readNode(ask, blocks[1]);
  await readNested(ask);
  await beRefused(ask);
  const told = await first(follow, { chain });
  assert.deepEqual(told.errors ?? [], []);
  assert.equal(told.data.chainStatus.chainId, chain);
  assert.ok(!Number.isNaN(Date.parse(told.data.chainStatus.asOf)));
  console.log(`${name}: a list in pages, a node, a nested query, errors and a subscription as expected`);
}

/** Returns the data of an answer that must have no errors. */
async function dataOf(ask, text, variables) {
  const { data, errors } = await ask(text, variables);
  assert.deepEqual(errors ?? [], []);
  return data;
}

async function readPages(ask) {
  const blocks = [];
  let after = null;
  for (let page = 0; page < 3; page++) {
    const { blocks: list } = await dataOf(ask, blocksPage, { chain, first: pageSize, after });
    assert.equal(list.edges.length, pageSize);
    assert.equal(list.pageInfo.hasNextPage, true);
    assert.equal(list.pageInfo.endCursor, list.edges.at(-1).cursor);
    blocks.push(...list.edges.map((edge) => edge.node));
    after = list.pageInfo.endCursor;
  }
  checkBlocks(blocks, 3 * pageSize);
  return blocks;
}

/** Checks that blocks are so many and follow one another, newest first. */
export function checkBlocks(blocks, count) {
  assert.equal(blocks.length, count);
  for (const [i, block] of blocks.entries()) {
    assert.match(block.blockHash, felt);
    assert.equal(block.blockNumber, blocks[0].blockNumber - i);
    if (i > 0) assert.equal(blocks[i - 1].parentHash, block.blockHash);
  }
}

async function readNode(ask, block) {
  const { node } = await dataOf(ask, blockByID, { id: block.id });
  const { __typename, id, blockNumber, blockHash } = block;
  assert.deepEqual({ ...node }, { __typename, id, blockNumber, blockHash });
}

async function readNested(ask) {
  const { blocks } = await dataOf(ask, nested, { chain, first: 10 });
  checkNested(blocks.nodes.flatMap((block) => block.transactions.nodes));
}

/** Checks transactions with their senders, events, contracts and tokens. */
export function checkNested(transactions) {
  const events = transactions.flatMap((transaction) => transaction.events.nodes);
  assert.ok(transactions.length > 0 && events.length > 0, 'no transactions or events');
  for (const { txHash } of transactions) assert.match(txHash, felt);
  for (const { contract } of events) assert.match(contract.address, felt);
  assert.ok(transactions.some(({ sender }) => sender !== null), 'no senders');
  assert.ok(transactions.some(({ receipt }) => /^[1-9]\d*$/.test(receipt.actualFeeRaw)), 'no fees as strings');
  assert.ok(events.some(({ contract }) => typeof contract.token?.symbol === 'string'), 'no tokens');
  assert.ok(events.some(({ decodedFields }) => decodedFields?.length > 0), 'no decoded fields');
}

async function beRefused(ask) {
  const partial = await ask(missing, { chain });
  assert.equal(partial.data.transaction, null);
  assert.equal(partial.data.status.chainId, chain);
  assert.equal(partial.errors.length, 1);
  assert.equal(partial.errors[0].extensions.code, 'not_found');
  assert.deepEqual(partial.errors[0].path, ['transaction']);
  assert.ok(partial.errors[0].extensions.requestId);

  const forbidden = await ask(beyond, { chain });
  assert.equal(forbidden.errors[0].extensions.code, 'forbidden');
  assert.equal(forbidden.errors[0].extensions.scope, 'batch');

  const invalid = await ask(blocksPage, { chain, first: 0 });
  assert.equal(invalid.errors[0].extensions.code, 'invalid_request');
}

/** Reads the address and the key that a client's script is given. */
export function given() {
  const url = process.argv[2];
  const apiKey = process.env.ASTROLABE_API_KEY;
  if (!url || !apiKey) {
    console.error('usage: ASTROLABE_API_KEY=<key> node <script> <url of the GraphQL endpoint>');
    process.exit(2);
  }
  setTimeout(() => {
    console.error('not finished within 60 seconds');
    process.exit(1);
  }, 60_000).unref();
  return { url, socketURL: url.replace(/^http/, 'ws'), apiKey };
}
