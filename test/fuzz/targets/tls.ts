import { clearRecord, CONTENT } from '../../../shared/tls/records.ts'
import { FRESH, PeerAlert, receive, TlsRefusal, type Connection } from '../../../shared/tls/server.ts'
import { testServer } from '../../support/tls-client.ts'
import traces from '../../vectors/tls13-traces.json' with { type: 'json' }
import { MOST_BYTES, refusing, type Target } from '../target.ts'

const server = testServer('keys.example.test')
const hello = Buffer.from(traces.simple.client_hello, 'hex')

const hostile = (extension: string): Buffer => {
  const extensions = Buffer.from(extension.repeat(Math.floor(16_000 / (extension.length / 2))), 'hex')
  const body = Buffer.concat([
    Buffer.from(`0303${'00'.repeat(32)}000004130113020100`, 'hex'),
    Buffer.of(extensions.length >> 8, extensions.length & 0xff),
    extensions,
  ])
  return clearRecord(CONTENT.handshake, Buffer.concat([Buffer.of(1, 0, body.length >> 8, body.length & 0xff), body]))
}

/** Records of a client, two flights: those before and after the first zero line. */
export const target: Target = {
  parse: (bytes) => {
    refusing([TlsRefusal, PeerAlert], () => {
      const { connection } = receive(FRESH, bytes, server) as { connection: Connection }
      receive(connection, bytes, server)
    })
  },
  seeds: () => [clearRecord(CONTENT.handshake, hello), clearRecord(CONTENT.alert, Buffer.of(2, 40))],
  shapes: () => ({
    'empty records': Buffer.from('1603030000'.repeat(13_000), 'hex'),
    'tiny records': Buffer.from('160303000101'.repeat(10_900), 'hex'),
    'changes of cipher': Buffer.from('140303000101'.repeat(10_900), 'hex'),
    'many empty extensions': hostile('ffff0000'),
    'many equal extensions': hostile('002b0003020304'),
    'many groups': hostile('000a000400020017'),
    alerts: Buffer.from('15030300020100'.repeat(9_300), 'hex'),
    zeros: Buffer.alloc(MOST_BYTES),
  }),
}
