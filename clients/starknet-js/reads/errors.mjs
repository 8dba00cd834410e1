// What is not there, in starknet.js' words.
import assert from 'node:assert/strict';
import { RpcError } from 'starknet';
import { strk } from './contracts.mjs';

/** Asks for what does not exist and expects starknet.js to know the answer by name. */
export async function readErrors({ provider, head, count }) {
  const nothing = '0x123456789';
  const expectations = {
    BLOCK_NOT_FOUND: () => provider.getBlock(head + 1_000_000),
    TXN_HASH_NOT_FOUND: () => provider.getTransactionReceipt(nothing),
    INVALID_TXN_INDEX: () => provider.getTransactionByBlockIdAndIndex(head, 1_000_000),
    CONTRACT_NOT_FOUND: () => provider.getClassHashAt(nothing),
    ENTRYPOINT_NOT_FOUND: () => provider.callContract({ contractAddress: strk, entrypoint: 'no_such_view' }),
    CLASS_HASH_NOT_FOUND: () => provider.getClass(nothing),
    INVALID_CONTINUATION_TOKEN: () => provider.getEvents({ chunk_size: 10, continuation_token: 'nonsense' }),
    PAGE_SIZE_TOO_BIG: () => provider.getEvents({ chunk_size: 1_000_000_000 }),
  };
  for (const [name, ask] of Object.entries(expectations)) {
    await assert.rejects(ask(), (error) => error instanceof RpcError && error.isType(name), name);
    count('errors by name');
  }
}
