// Serves the schema bench of a database with PostGraphile as in production:
// node server.mjs <database URL>. It runs one process for each processor,
// without an explorer and without watching, and has everything else as
// PostGraphile does by default. It prints its port and ends with its input.
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const connectionString = process.argv[2];

if (cluster.isPrimary) {
  const count = availableParallelism();
  let ready = 0;
  cluster.on('listening', (_, { port }) => {
    if (++ready === count) console.log(port);
  });
  cluster.on('exit', () => process.exit(1));
  for (let i = 0; i < count; i++) cluster.fork();
  process.stdin.resume().on('end', () => process.exit(0));
} else {
  const instance = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [makePgService({ connectionString, schemas: ['bench'], max: 10 })],
    grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  });
  const server = createServer();
  await instance.createServ(grafserv).addTo(server);
  server.listen(0, '127.0.0.1'); // one port, which all processes share
}
