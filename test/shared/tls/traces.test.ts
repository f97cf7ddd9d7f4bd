import { createPrivateKey } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  applicationSecrets,
  exported,
  handshakeSecrets,
  hashOf,
  trafficKeys,
  verifyData,
} from '../../../shared/tls/key-schedule.ts'
import { CONTENT, Direction, recordsIn, type TlsRecord } from '../../../shared/tls/records.ts'
import { exportFrom, FRESH, receive, type Connected } from '../../../shared/tls/server.ts'
import { SUITES, type Suite } from '../../../shared/tls/suites.ts'
import { testServer } from '../../support/tls-client.ts'
import traces from '../../vectors/tls13-traces.json' with { type: 'json' }

const { simple, compatibility } = traces
const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const [AES128] = SUITES as readonly [Suite]
const texts = (parts: Readonly<Record<string, Buffer>>): object =>
  Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('hex')]))
const only = (record: string): TlsRecord => recordsIn(hex(record))[0] as TlsRecord

const PKCS8_OF_X25519 = '302e020100300506032b656e04220420'
const x25519 = createPrivateKey({
  key: hex(PKCS8_OF_X25519 + simple.server_private_key),
  format: 'der',
  type: 'pkcs8',
})

test('the secrets of a connection equal those of the published trace', () => {
  const helloHash = hashOf(AES128, hex(simple.client_hello), hex(simple.server_hello))
  expect(helloHash.toString('hex')).toBe(simple.hello_hash)
  const { client, server, master } = handshakeSecrets(AES128, hex(simple.shared_secret), helloHash)
  expect(texts({ client, server, master })).toEqual({
    client: simple.client_handshake_traffic_secret,
    server: simple.server_handshake_traffic_secret,
    master: simple.master_secret,
  })
  const application = applicationSecrets(AES128, master, hex(simple.server_finished_hash))
  expect(texts(application)).toEqual({
    client: simple.client_application_traffic_secret,
    server: simple.server_application_traffic_secret,
    exporter: simple.exporter_master_secret,
  })
  expect(master.equals(Buffer.alloc(32)), 'the master secret is zeroed').toBe(true)
})

test.each([
  ['server handshake', simple.server_handshake_traffic_secret, simple.server_handshake_key, simple.server_handshake_iv],
  ['client handshake', simple.client_handshake_traffic_secret, simple.client_handshake_key, simple.client_handshake_iv],
  [
    'server application',
    simple.server_application_traffic_secret,
    simple.server_application_key,
    simple.server_application_iv,
  ],
  [
    'client application',
    simple.client_application_traffic_secret,
    simple.client_application_key,
    simple.client_application_iv,
  ],
])('the %s keys equal those of the published trace', (_which, secret, key, iv) => {
  expect(texts(trafficKeys(AES128, hex(secret)))).toEqual({ key, iv })
})

test('both Finished messages have the published verify_data', () => {
  const opening = hex(simple.server_flight).subarray(0, -36)
  const before = hashOf(AES128, hex(simple.client_hello), hex(simple.server_hello), opening)
  const server = verifyData(AES128, hex(simple.server_handshake_traffic_secret), before)
  expect(server.toString('hex')).toBe(simple.server_finished)
  const after = hashOf(AES128, hex(simple.client_hello), hex(simple.server_hello), hex(simple.server_flight))
  expect(after.toString('hex')).toBe(simple.server_finished_hash)
  const client = verifyData(AES128, hex(simple.client_handshake_traffic_secret), after)
  expect(client.toString('hex')).toBe(simple.client_finished)
})

test('the records of the server are the published ones, byte for byte', () => {
  const handshake = new Direction(AES128, hex(simple.server_handshake_traffic_secret))
  const flight = handshake.protect(CONTENT.handshake, hex(simple.server_flight))
  expect(flight.toString('hex')).toBe(simple.server_flight_record)
  const application = new Direction(AES128, hex(simple.server_application_traffic_secret))
  const sent = [
    application.protect(CONTENT.handshake, hex(simple.ticket)),
    application.protect(CONTENT.applicationData, hex(simple.application_data)),
    application.protect(CONTENT.alert, Buffer.of(1, 0)),
  ]
  expect(sent.map((record) => record.toString('hex'))).toEqual([
    simple.ticket_record,
    simple.server_application_record,
    simple.server_alert_record,
  ])
})

test('the records of the client open to the published content', () => {
  const handshake = new Direction(AES128, hex(simple.client_handshake_traffic_secret))
  const finished = handshake.unprotect(only(simple.client_finished_record))
  expect(finished).toEqual({ type: CONTENT.handshake, bytes: hex(`14000020${simple.client_finished}`) })
  const application = new Direction(AES128, hex(simple.client_application_traffic_secret))
  expect(application.unprotect(only(simple.client_application_record))).toEqual({
    type: CONTENT.applicationData,
    bytes: hex(simple.application_data),
  })
  expect(application.unprotect(only(simple.client_alert_record))).toEqual({
    type: CONTENT.alert,
    bytes: Buffer.of(1, 0),
  })
})

test('with the random and the key of the trace, the server answers its ClientHello with its ServerHello and reads with its keys', () => {
  const random = hex(simple.server_hello).subarray(6, 38)
  const server = { ...testServer('server'), fixed: { random, x25519 } }
  const { connection, reply } = receive(FRESH, hex(simple.client_hello_record), server)
  expect(reply.subarray(0, 95).toString('hex')).toBe(simple.server_hello_record)
  expect(reply[95], 'a client without session id gets no compatibility record').toBe(CONTENT.applicationData)
  expect(connection.phase === 'answered' && connection.read.secret.toString('hex')).toBe(
    simple.client_handshake_traffic_secret,
  )
})

test('a client in compatibility mode gets its session id back and the compatibility record', () => {
  const { reply } = receive(FRESH, hex(compatibility.client_hello_record), testServer('server'))
  const published = hex(compatibility.server_hello_record)
  const [hello, specification] = recordsIn(reply)
  expect(hello?.body.length).toBe(published.length - 5)
  // All but the random and the share of the published ServerHello
  expect(hello?.body.subarray(38, 84)).toEqual(published.subarray(43, 89))
  expect(specification).toMatchObject({ type: CONTENT.changeCipherSpec, body: Buffer.of(1) })
})

test('exported material depends on label and context', () => {
  const exporter = hex(simple.exporter_master_secret)
  const read = new Direction(AES128, hex(simple.client_application_traffic_secret))
  const write = new Direction(AES128, hex(simple.server_application_traffic_secret))
  const connection: Connected = { phase: 'connected', read, write, exporter, owesUpdate: false }
  const direct = exported(AES128, exporter, 'EXPORTER-a', Buffer.alloc(0), 80)
  expect(exportFrom(connection, 'EXPORTER-a', Buffer.alloc(0), 80)).toEqual(direct)
  expect(direct).toHaveLength(80)
  expect(exportFrom(connection, 'EXPORTER-b', Buffer.alloc(0), 80)).not.toEqual(direct)
  expect(exportFrom(connection, 'EXPORTER-a', Buffer.of(0), 80)).not.toEqual(direct)
})
