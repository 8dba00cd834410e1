// Subscriptions over a WebSocket.
import assert from 'node:assert/strict';
import { WebSocketChannel } from 'starknet';

const patience = 60_000;

/** Subscribes to everything, waits for the first of each and unsubscribes. */
export async function follow({ url, head, count }) {
  const channel = new WebSocketChannel({ nodeUrl: url.replace(/^http/, 'ws'), autoReconnect: false });
  await channel.waitForConnection();

  const next = await first(await channel.subscribeNewHeads());
  assert.ok(next.block_number > head);
  const old = await first(await channel.subscribeNewHeads({ blockIdentifier: head }));
  assert.equal(old.block_number, head);
  const event = await first(await channel.subscribeEvents());
  assert.ok(event.keys && event.data && event.from_address && event.transaction_hash);
  const receipt = await first(await channel.subscribeNewTransactionReceipts());
  assert.equal(receipt.finality_status, 'ACCEPTED_ON_L2');
  const transaction = await first(await channel.subscribeNewTransactions());
  assert.match(transaction.transaction_hash, /^0x/);
  const status = await first(await channel.subscribeTransactionStatus({ transactionHash: receipt.transaction_hash }));
  assert.equal(status.transaction_hash, receipt.transaction_hash);
  count('subscriptions, each with a message', 6);

  channel.disconnect();
  await channel.waitForDisconnection();
}

/** Returns the first message of a subscription and ends it. */
async function first(subscription) {
  const message = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${subscription.method}: nothing came`)), patience);
    subscription.on((received) => {
      clearTimeout(timer);
      resolve(received);
    });
  });
  assert.equal(await subscription.unsubscribe(), true);
  assert.equal(subscription.isClosed, true);
  return message;
}
