import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { atCleanUp } from '../clean-up.js';
import { type Env } from '../databases.js';
import { preload } from '../preload.js';

const HEADER_BYTES = 12;
const [A, AAAA] = [1, 28];

/** A DNS server that answers each question with what the test says. */
export class DnsServer {
  /** The addresses of a name, asked anew for each question. */
  addressesOf: (name: string) => string[] = () => [];
  private constructor(
    /** The environment in which a service asks this server. */
    readonly env: Env,
  ) {}

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await once(socket.bind(0, '127.0.0.1'), 'listening');
    atCleanUp(() => socket.close());
    const server = new DnsServer(
      preload(`
        import dns from 'node:dns/promises';
        import { syncBuiltinESMExports } from 'node:module';
        dns.Resolver = class extends dns.Resolver {
          constructor(options) {
            super(options);
            this.setServers(['127.0.0.1:${socket.address().port}']);
          }
        };
        syncBuiltinESMExports();
      `),
    );
    socket.on('message', (question, { port, address }) => {
      socket.send(server.answerTo(question), port, address);
    });
    return server;
  }

  private answerTo(message: Buffer): Buffer {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = message[at]!; length > 0; length = message[at]!) {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const type = message.readUInt16BE(at + 1);
    const question = message.subarray(HEADER_BYTES, at + 5);
    const addresses = this.addressesOf(labels.join('.').toLowerCase()).filter((address) =>
      isIPv4(address) ? type === A : type === AAAA,
    );
    const records = addresses.map((address) => {
      const bytes = ipaddr.parse(address).toByteArray();
      // A pointer to the name of the question, type, class and no time to live.
      return Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
    });
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(message.readUInt16BE(0), 0);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, question, ...records]);
  }
}
