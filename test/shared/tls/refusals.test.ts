import { describe, expect, test } from 'vitest'
import { number, vector } from '../../../shared/tls/bytes.ts'
import { clearRecord, CONTENT, Direction, recordsIn, type TlsRecord } from '../../../shared/tls/records.ts'
import type { AlertName } from '../../../shared/tls/refusals.ts'
import {
  FRESH,
  PeerAlert,
  readConnection,
  receive,
  send,
  TlsRefusal,
  writeConnection,
  type Connected,
  type Connection,
} from '../../../shared/tls/server.ts'
import { SUITES, type Suite } from '../../../shared/tls/suites.ts'
import { HandClient, handshakeMessage, testServer, type HelloParts } from '../../support/tls-client.ts'

const server = testServer('keys.example.test')

const CCS = clearRecord(CONTENT.changeCipherSpec, Buffer.of(1))
const numbers = (...list: readonly number[]): Buffer => Buffer.concat(list.map((one) => number(2, one)))
const share = (group: number, bytes: Buffer): Buffer => Buffer.concat([number(2, group), vector(2, bytes)])
const extension = (type: number, data: Buffer): Buffer => Buffer.concat([number(2, type), vector(2, data)])

/** The alert with which the server refuses. */
function refusalOf(connection: Connection, records: Buffer): AlertName | `alert ${number}` | 'accepted' {
  try {
    receive(connection, records, server)
    return 'accepted'
  } catch (error) {
    if (error instanceof PeerAlert) return `alert ${error.code}`
    if (error instanceof TlsRefusal) return error.alert
    throw error
  }
}

/** A client that got the server's flight. */
function answered() {
  const client = new HandClient()
  const { connection, reply } = receive(FRESH, client.helloRecord(), server)
  return { client, connection, ...client.takeFlight(reply) }
}

const finishedOf = (verify: Buffer): Buffer => handshakeMessage(20, verify)

/** A connected client. */
function connected() {
  const { client, connection, verify, application, server: serverSecret } = answered()
  const next = receive(connection, client.protect(CONTENT.handshake, finishedOf(verify)), server)
  client.use(application)
  return { client, connection: next.connection, serverSecret }
}

const WITHOUT = undefined
const offer = (extensions: NonNullable<HelloParts['extensions']>): HelloParts => ({ extensions })

describe('a ClientHello', () => {
  test.each<[string, HelloParts]>([
    [
      'with unknown extensions, also of GREASE',
      { more: [extension(0x0a0a, Buffer.of(1)), extension(0xffce, Buffer.alloc(90))] },
    ],
    [
      'with unknown suites, schemes and versions',
      {
        suites: numbers(0x0a0a, 0x1301, 0x00ff),
        ...offer({ 13: vector(2, numbers(0x1a1a, 0x0403)), 43: vector(1, numbers(0x7a7a, 0x0304, 0x0303)) }),
      },
    ],
    [
      'with a hybrid share that is not served before one that is',
      { extensions: { 10: vector(2, numbers(0x11ec, 0x001d)) } },
    ],
    [
      'with ALPN and an empty session id',
      { sessionId: Buffer.alloc(0), more: [extension(16, vector(2, vector(1, Buffer.from('h2'))))] },
    ],
    [
      'with a pre-shared key, which is passed over',
      { extensions: { 45: vector(1, Buffer.of(1)) }, more: [extension(41, Buffer.alloc(40))] },
    ],
    ['with a server name', { extensions: { 0: vector(2, number(1, 0), vector(2, Buffer.from('keys.example.test'))) } }],
    ['with a legacy version that means nothing', { version: 0x0301 }],
  ])('%s is answered', (_what, parts) => {
    expect(refusalOf(FRESH, new HandClient().helloRecord(parts))).toBe('accepted')
  })

  test.each<[string, HelloParts, AlertName]>([
    ['that offers no version', offer({ 43: WITHOUT }), 'protocol_version'],
    ['that offers 1.2 alone', offer({ 43: vector(1, numbers(0x0303)) }), 'protocol_version'],
    [
      'that repeats an attempt with an older version',
      { ...offer({ 43: vector(1, numbers(0x0303)) }), suites: numbers(0x1301, 0x5600) },
      'inappropriate_fallback',
    ],
    ['of SSL 3.0', { version: 0x0300 }, 'protocol_version'],
    ['with an empty list of versions', offer({ 43: vector(1) }), 'decode_error'],
    ['with a list of versions of odd length', offer({ 43: vector(1, Buffer.of(3, 4, 3)) }), 'decode_error'],
    [
      'with bytes after the versions',
      offer({ 43: Buffer.concat([vector(1, numbers(0x0304)), Buffer.of(0)]) }),
      'decode_error',
    ],
    ['with compression', { compression: Buffer.of(0, 1) }, 'illegal_parameter'],
    ['with another compression', { compression: Buffer.of(1) }, 'illegal_parameter'],
    ['without a compression method', { compression: Buffer.alloc(0) }, 'decode_error'],
    ['with a long session id', { sessionId: Buffer.alloc(33) }, 'decode_error'],
    ['without suites', { suites: Buffer.alloc(0) }, 'decode_error'],
    ['with half a suite', { suites: Buffer.of(0x13) }, 'decode_error'],
    ['with suites of older versions alone', { suites: numbers(0xc02b, 0xc02f) }, 'handshake_failure'],
    ['without schemes', offer({ 13: WITHOUT }), 'missing_extension'],
    ['with schemes of other keys alone', offer({ 13: vector(2, numbers(0x0804, 0x0503)) }), 'handshake_failure'],
    ['without groups', offer({ 10: WITHOUT }), 'missing_extension'],
    ['without shares', offer({ 51: WITHOUT }), 'missing_extension'],
    ['with groups that are not served', offer({ 10: vector(2, numbers(0x0018)), 51: vector(2) }), 'handshake_failure'],
    ['with a share of a group that it does not offer', offer({ 10: vector(2, numbers(0x0017)) }), 'illegal_parameter'],
    [
      'with two shares of a group',
      offer({ 51: vector(2, share(0x1d, Buffer.alloc(32, 9)), share(0x1d, Buffer.alloc(32, 9))) }),
      'illegal_parameter',
    ],
    ['with a short share', offer({ 51: vector(2, share(0x1d, Buffer.alloc(31, 9))) }), 'illegal_parameter'],
    ['with an empty share', offer({ 51: vector(2, share(0x1d, Buffer.alloc(0))) }), 'decode_error'],
    ['with a share of small order', offer({ 51: vector(2, share(0x1d, Buffer.alloc(32))) }), 'illegal_parameter'],
    [
      'with a point that is not on the curve',
      offer({ 10: vector(2, numbers(0x17)), 51: vector(2, share(0x17, Buffer.alloc(65, 4))) }),
      'illegal_parameter',
    ],
    [
      'with a compressed point',
      offer({ 10: vector(2, numbers(0x17)), 51: vector(2, share(0x17, Buffer.alloc(33, 2))) }),
      'illegal_parameter',
    ],
    ['with an extension twice', { more: [extension(43, vector(1, numbers(0x0304)))] }, 'illegal_parameter'],
    [
      'with a pre-shared key that is not last',
      { extensions: { 41: Buffer.alloc(4), 45: vector(1, Buffer.of(1)) } },
      'illegal_parameter',
    ],
    ['with a pre-shared key without its modes', { more: [extension(41, Buffer.alloc(4))] }, 'missing_extension'],
    ['with early data and no key for it', { more: [extension(42, Buffer.alloc(0))] }, 'illegal_parameter'],
    ['with an empty list of server names', offer({ 0: vector(2) }), 'decode_error'],
    [
      'with two server names',
      offer({ 0: vector(2, number(1, 0), vector(2, Buffer.from('a')), number(1, 0), vector(2, Buffer.from('b'))) }),
      'illegal_parameter',
    ],
    ['with bytes at its end', { after: Buffer.of(0) }, 'decode_error'],
    ['that is no ClientHello', { type: 2 }, 'unexpected_message'],
    ['that is a Finished', { type: 20 }, 'unexpected_message'],
  ])('%s is refused', (_what, parts, alert) => {
    expect(refusalOf(FRESH, new HandClient().helloRecord(parts))).toBe(alert)
  })

  test('may be cut into records, but not interleaved, followed by bytes, left unfinished or longer than any', () => {
    const hello = new HandClient().hello()
    const [start, rest] = [hello.subarray(0, 50), hello.subarray(50)]
    const record = (bytes: Buffer) => clearRecord(CONTENT.handshake, bytes)
    expect(refusalOf(FRESH, Buffer.concat([record(start), record(rest)]))).toBe('accepted')
    expect(
      refusalOf(FRESH, Buffer.concat([record(start), clearRecord(CONTENT.alert, Buffer.of(1, 0)), record(rest)])),
    ).toBe('unexpected_message')
    expect(refusalOf(FRESH, record(Buffer.concat([hello, Buffer.of(0)])))).toBe('unexpected_message')
    expect(refusalOf(FRESH, record(start))).toBe('decode_error')
    expect(refusalOf(FRESH, record(Buffer.of(1, 1, 0, 1)))).toBe('illegal_parameter')
    expect(refusalOf(FRESH, Buffer.concat([record(hello), record(hello)]))).toBe('unexpected_message')
  })
})

test.each<[string, Buffer, AlertName | `alert ${number}`]>([
  ['nothing', Buffer.alloc(0), 'decode_error'],
  ['half a header', Buffer.of(22, 3, 1), 'decode_error'],
  ['a record that ends early', Buffer.of(22, 3, 1, 0, 9, 1), 'decode_error'],
  ['a record of an unknown type', Buffer.of(24, 3, 3, 0, 1, 0), 'unexpected_message'],
  ['a record of another protocol', Buffer.from('GET / HTTP/1.1\r\n'), 'unexpected_message'],
  ['a record of an unknown version', Buffer.of(22, 3, 4, 0, 1, 1), 'protocol_version'],
  ['a record of SSL 2.0', Buffer.of(22, 2, 0, 0, 1, 1), 'protocol_version'],
  ['a record above 16,384 bytes', clearRecord(CONTENT.handshake, Buffer.alloc(16_385)), 'record_overflow'],
  ['an empty record', clearRecord(CONTENT.handshake, Buffer.alloc(0)), 'unexpected_message'],
  ['a compatibility record', CCS, 'unexpected_message'],
  ['application data', clearRecord(CONTENT.applicationData, Buffer.alloc(40)), 'unexpected_message'],
  ['an alert', clearRecord(CONTENT.alert, Buffer.of(2, 80)), 'alert 80'],
  ['half an alert', clearRecord(CONTENT.alert, Buffer.of(2)), 'decode_error'],
])('a connection that begins with %s is refused', (_what, records, alert) => {
  expect(refusalOf(FRESH, records)).toBe(alert)
})

describe('a second ClientHello', () => {
  const first: HelloParts = { extensions: { 10: vector(2, numbers(0x17, 0x1d)), 51: vector(2) } }
  const asked = (): { client: HandClient; connection: Connection } => {
    const client = new HandClient()
    const { connection } = receive(FRESH, client.helloRecord(first), server)
    expect(connection.phase).toBe('retried')
    return { client, connection: readConnection(writeConnection(connection)) }
  }
  const withShare = (client: HandClient, more: HelloParts = {}): HelloParts => ({
    ...more,
    extensions: { ...first.extensions, 51: vector(2, share(0x1d, client.share)), ...more.extensions },
  })

  test('with the requested share is answered, also after a compatibility record', () => {
    const { client, connection } = asked()
    expect(refusalOf(connection, Buffer.concat([CCS, client.helloRecord(withShare(client))]))).toBe('accepted')
  })

  test.each<[string, (client: HandClient) => HelloParts]>([
    ['without a share', () => first],
    [
      'with another share beside it',
      (client) =>
        withShare(client, {
          extensions: { 51: vector(2, share(0x1d, client.share), share(0x17, Buffer.alloc(65, 4))) },
        }),
    ],
    [
      'with the share of another group',
      (client) => withShare(client, { extensions: { 51: vector(2, share(0x17, Buffer.alloc(65, 4))) } }),
    ],
    ['with another random', (client) => withShare(client, { random: Buffer.alloc(32, 8) })],
    ['with another session id', (client) => withShare(client, { sessionId: Buffer.alloc(0) })],
    ['with other suites', (client) => withShare(client, { suites: numbers(0x1301, 0x1302) })],
    ['with other schemes', (client) => withShare(client, { extensions: { 13: vector(2, numbers(0x0403, 0x0804)) } })],
    ['with one more extension', (client) => withShare(client, { more: [extension(0x0a0a, Buffer.alloc(0))] })],
  ])('%s is refused', (_what, parts) => {
    const { client, connection } = asked()
    expect(refusalOf(connection, client.helloRecord(parts(client)))).toBe('illegal_parameter')
  })

  test('is due: everything else is refused', () => {
    expect(refusalOf(asked().connection, clearRecord(CONTENT.handshake, finishedOf(Buffer.alloc(32))))).toBe(
      'unexpected_message',
    )
    expect(refusalOf(asked().connection, clearRecord(CONTENT.applicationData, Buffer.alloc(40)))).toBe(
      'unexpected_message',
    )
  })
})

describe('instead of a good Finished', () => {
  type Sent = (at: ReturnType<typeof answered>) => Buffer
  test.each<[string, Sent, AlertName | `alert ${number}`]>([
    [
      'a wrong one',
      ({ client, verify }) => client.protect(22, finishedOf(Buffer.from(verify).fill(0, 31))),
      'decrypt_error',
    ],
    ['a short one', ({ client, verify }) => client.protect(22, finishedOf(verify.subarray(1))), 'decode_error'],
    [
      'a long one',
      ({ client, verify }) => client.protect(22, finishedOf(Buffer.concat([verify, verify]))),
      'decode_error',
    ],
    ['one in the clear', ({ verify }) => clearRecord(CONTENT.handshake, finishedOf(verify)), 'unexpected_message'],
    [
      'one with bytes after it',
      ({ client, verify }) => client.protect(22, Buffer.concat([finishedOf(verify), Buffer.of(0)])),
      'unexpected_message',
    ],
    [
      'one that stops in the middle',
      ({ client, verify }) => client.protect(22, finishedOf(verify).subarray(0, 20)),
      'decode_error',
    ],
    [
      'one of changed bytes',
      ({ client, verify }) => {
        const sent = client.protect(22, finishedOf(verify))
        sent[9] = (sent[9] ?? 0) ^ 1
        return sent
      },
      'bad_record_mac',
    ],
    [
      'one whose record has a changed header',
      ({ client, verify }) => {
        const sent = client.protect(22, finishedOf(verify))
        sent[2] = 2
        return sent
      },
      'bad_record_mac',
    ],
    ['a second ClientHello', ({ client }) => clearRecord(CONTENT.handshake, client.hello()), 'unexpected_message'],
    ['a protected ClientHello', ({ client }) => client.protect(22, client.hello()), 'unexpected_message'],
    [
      'an empty Certificate that was not asked for',
      ({ client }) => client.protect(22, handshakeMessage(11, Buffer.alloc(4))),
      'unexpected_message',
    ],
    [
      'the end of early data',
      ({ client }) => client.protect(22, handshakeMessage(5, Buffer.alloc(0))),
      'unexpected_message',
    ],
    [
      'application data with handshake keys',
      ({ client }) => client.protect(23, Buffer.from('x')),
      'unexpected_message',
    ],
    ['an empty handshake record', ({ client }) => client.protect(22, Buffer.alloc(0)), 'unexpected_message'],
    ['a record of padding alone', ({ client }) => client.protect(0, Buffer.alloc(5)), 'unexpected_message'],
    ['a protected compatibility record', ({ client }) => client.protect(20, Buffer.of(1)), 'unexpected_message'],
    ['another change of ciphers', () => clearRecord(CONTENT.changeCipherSpec, Buffer.of(2)), 'unexpected_message'],
    ['a long change of ciphers', () => clearRecord(CONTENT.changeCipherSpec, Buffer.of(1, 1)), 'unexpected_message'],
    ['a record too short for a tag', () => clearRecord(CONTENT.applicationData, Buffer.alloc(16)), 'bad_record_mac'],
    [
      'a record above 16,640 bytes',
      () => clearRecord(CONTENT.applicationData, Buffer.alloc(16_641)),
      'record_overflow',
    ],
    ['an alert in the clear', () => clearRecord(CONTENT.alert, Buffer.of(2, 42)), 'alert 42'],
    ['a protected alert', ({ client }) => client.protect(21, Buffer.of(2, 46)), 'alert 46'],
    [
      'the record of another connection',
      () => {
        const other = answered()
        return other.client.protect(22, finishedOf(other.verify))
      },
      'bad_record_mac',
    ],
  ])('%s is refused', (_what, sent, alert) => {
    const at = answered()
    expect(refusalOf(at.connection, sent(at))).toBe(alert)
  })

  test('compatibility records leave the handshake unfinished; it continues in the next call', () => {
    const { client, connection, verify } = answered()
    const waiting = receive(connection, CCS, server)
    expect(waiting.connection.phase).toBe('answered')
    const finished = client.protect(CONTENT.handshake, finishedOf(verify))
    const next = receive(readConnection(writeConnection(waiting.connection)), finished, server)
    expect(next.connection.phase).toBe('connected')
  })

  test('a Finished at the front of the next call’s records finishes the handshake', () => {
    const { client, connection, verify, application } = answered()
    const finished = client.protect(CONTENT.handshake, finishedOf(verify))
    client.use(application)
    const both = Buffer.concat([CCS, finished, client.protect(CONTENT.applicationData, Buffer.from('data'))])
    expect(receive(connection, both, server).plaintext.toString()).toBe('data')
  })
})

describe('a connected client', () => {
  const write = (client: HandClient, text: string): Buffer => client.protect(CONTENT.applicationData, Buffer.from(text))
  type Sent = (client: HandClient) => Buffer
  test.each<[string, Sent, AlertName | `alert ${number}`]>([
    ['sends a ClientHello to negotiate anew', (client) => client.protect(22, client.hello()), 'unexpected_message'],
    ['sends Finished again', (client) => client.protect(22, finishedOf(Buffer.alloc(32))), 'unexpected_message'],
    ['sends a ticket', (client) => client.protect(22, handshakeMessage(4, Buffer.alloc(20))), 'unexpected_message'],
    ['sends a compatibility record', () => CCS, 'unexpected_message'],
    ['sends data in the clear', () => clearRecord(CONTENT.applicationData, Buffer.alloc(40)), 'bad_record_mac'],
    [
      'sends a handshake message in the clear',
      () => clearRecord(CONTENT.handshake, handshakeMessage(24, Buffer.of(0))),
      'unexpected_message',
    ],
    [
      'asks for an update that is none',
      (client) => client.protect(22, handshakeMessage(24, Buffer.of(2))),
      'illegal_parameter',
    ],
    [
      'sends an update without its byte',
      (client) => client.protect(22, handshakeMessage(24, Buffer.alloc(0))),
      'decode_error',
    ],
    [
      'sends an update and more in one record',
      (client) => client.protect(22, Buffer.concat([handshakeMessage(24, Buffer.of(0)), Buffer.of(0)])),
      'unexpected_message',
    ],
    ['leaves a message unfinished', (client) => client.protect(22, Buffer.of(24, 0)), 'decode_error'],
    [
      'interleaves a message with data',
      (client) => Buffer.concat([client.protect(22, Buffer.of(24, 0)), write(client, 'x')]),
      'unexpected_message',
    ],
    ['sends an unknown kind of content', (client) => client.protect(24, Buffer.of(0)), 'unexpected_message'],
    ['closes', (client) => client.protect(21, Buffer.of(1, 0)), 'alert 0'],
    [
      'sends 33 records without content',
      (client) => Buffer.concat(Array.from({ length: 33 }, () => write(client, ''))),
      'unexpected_message',
    ],
  ])('that %s is refused', (_what, sent, alert) => {
    const { client, connection } = connected()
    expect(refusalOf(connection, sent(client))).toBe(alert)
  })

  test('may send records without content before data', () => {
    const { client, connection } = connected()
    expect(
      receive(connection, Buffer.concat([write(client, ''), write(client, 'x')]), server).plaintext.toString(),
    ).toBe('x')
  })

  test('refuses repeated and later records, and a gap', () => {
    const { client, connection } = connected()
    const [one, two] = [write(client, 'one'), write(client, 'two')]
    const state = writeConnection(receive(connection, one, server).connection)
    expect(refusalOf(readConnection(state), one), 'again').toBe('bad_record_mac')
    expect(receive(readConnection(state), two, server).plaintext.toString()).toBe('two')
    const other = connected()
    write(other.client, 'lost')
    expect(refusalOf(other.connection, write(other.client, 'after')), 'a gap').toBe('bad_record_mac')
    const swapped = connected()
    const [first, second] = [write(swapped.client, 'a'), write(swapped.client, 'b')]
    expect(refusalOf(swapped.connection, Buffer.concat([second, first])), 'reordered').toBe('bad_record_mac')
  })

  test('an update of keys is followed: later records open with the new keys, and one is sent in return', () => {
    const { client, connection, serverSecret } = connected()
    const update = client.protect(22, handshakeMessage(24, Buffer.of(1)))
    client.use(client.nextSecret())
    const { plaintext, connection: next } = receive(connection, Buffer.concat([update, write(client, 'new')]), server)
    expect(plaintext.toString()).toBe('new')
    expect(next).toMatchObject({ phase: 'connected', owesUpdate: true })
    const kept = readConnection(writeConnection(next)) as Connected
    const sent = send(kept, Buffer.from('in return'))
    expect(sent.connection.owesUpdate).toBe(false)
    const [first, second] = recordsIn(sent.records) as [TlsRecord, TlsRecord]
    const reading = new Direction(SUITES[0] as Suite, serverSecret)
    expect(reading.unprotect(first)).toEqual({ type: CONTENT.handshake, bytes: handshakeMessage(24, Buffer.of(0)) })
    expect(reading.updated().unprotect(second).bytes.toString()).toBe('in return')
  })
})

test('a changed or truncated state of a connection is an error, never another connection', () => {
  const { connection } = connected()
  if (connection.phase !== 'connected') throw new Error('not connected')
  const state = writeConnection(connection)
  for (const cut of [0, 1, 2, 3, 10, state.length - 1]) expect(() => readConnection(state.subarray(0, cut))).toThrow()
  expect(() => readConnection(Buffer.concat([state, Buffer.of(0)]))).toThrow()
  for (const at of [0, 1, 2]) expect(() => readConnection(Buffer.from(state).fill(0x77, at, at + 1))).toThrow()
})
