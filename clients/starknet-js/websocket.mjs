// starknet.js takes the platform's WebSocket, which Node has from version 22 on. This
// module must be loaded before it.
import WebSocket from 'ws';

globalThis.WebSocket ??= WebSocket;
