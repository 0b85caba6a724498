import { cstring, encodeFrame } from './frames.js';

/** One connection's own copy of what a server says after a startup packet. */
export function greeting(processId: number, secret: number, serverVersion: string): Buffer {
  const parameters = Object.entries({
    server_version: serverVersion,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    IntervalStyle: 'postgres',
    TimeZone: 'UTC',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
    is_superuser: 'on',
  });
  return Buffer.concat([
    encodeFrame('R', int32(0)),
    ...parameters.map(([name, value]) => encodeFrame('S', cstring(name), cstring(value))),
    encodeFrame('K', int32(processId), int32(secret)),
    encodeFrame('Z', Buffer.from('I')),
  ]);
}

/** The newest protocol we speak is 3.0, and every option beyond it is unknown here. */
export function negotiateVersion(unknownOptions: string[]): Buffer {
  return encodeFrame('v', int32(0), int32(unknownOptions.length), ...unknownOptions.map(cstring));
}

/** An error after which the connection is closed. */
export function fatalError(sqlState: string, message: string): Buffer {
  const fields = [`SFATAL`, `VFATAL`, `C${sqlState}`, `M${message}`].map(cstring);
  return encodeFrame('E', ...fields, Buffer.alloc(1));
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}
