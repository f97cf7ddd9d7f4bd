import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type * as tls from 'node:tls'
import { expect, test } from 'vitest'
import {
  channelBinding,
  exportFrom,
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
import { CarriedClient, testServer } from '../../support/tls-client.ts'

const HOST = 'keys.example.test'
const server = testServer(HOST)
const TRUSTED: tls.ConnectionOptions = { servername: HOST, ca: server.cert }

/** As between two calls: written down and read again. */
const written = (connection: Connection): Connection =>
  connection.phase === 'fresh' ? connection : readConnection(writeConnection(connection))

function connectedOf(connection: Connection): Connected {
  if (connection.phase !== 'connected') throw new Error(`The connection is ${connection.phase}`)
  return connection
}

/** A handshake in two calls. */
async function connect(options: tls.ConnectionOptions = TRUSTED): Promise<{ client: CarriedClient; at: Connected }> {
  const client = new CarriedClient(options)
  const begun = receive(FRESH, await client.hello(), server)
  const ended = receive(written(begun.connection), await client.answer(begun.reply), server)
  expect(ended.reply).toHaveLength(0)
  return { client, at: connectedOf(written(ended.connection)) }
}

test.each([
  ['TLS_AES_128_GCM_SHA256', 'X25519'],
  ['TLS_AES_256_GCM_SHA384', 'X25519'],
  ['TLS_CHACHA20_POLY1305_SHA256', 'X25519'],
  ['TLS_AES_128_GCM_SHA256', 'P-256'],
  ['TLS_AES_256_GCM_SHA384', 'P-256:P-384'],
])('a client of Node with %s and %s connects in two calls and trusts the certificate', async (ciphers, ecdhCurve) => {
  const { client, at } = await connect({ ...TRUSTED, ciphers, ecdhCurve })
  expect(client.socket.authorized).toBe(true)
  expect(client.socket.getCipher().standardName).toBe(ciphers)
  const heard = receive(at, await client.write(Buffer.from('to the server')), server)
  expect(heard.plaintext.toString()).toBe('to the server')
  const { records, connection } = send(connectedOf(written(heard.connection)), Buffer.from('to the client'))
  expect((await client.read(records)).toString()).toBe('to the client')
  expect(connection.write.sequence).toBe(1)
  client.close()
})

test('both ends export the same material and the same channel binding', async () => {
  const { client, at } = await connect()
  const label = 'EXPERIMENTAL some label 1.0'
  expect(exportFrom(at, label, Buffer.alloc(0), 32)).toEqual(
    client.socket.exportKeyingMaterial(32, label, Buffer.alloc(0)),
  )
  const context = Buffer.from('context')
  expect(exportFrom(at, label, context, 80)).toEqual(client.socket.exportKeyingMaterial(80, label, context))
  const binding = client.socket.exportKeyingMaterial(32, 'EXPORTER-Channel-Binding', Buffer.alloc(0))
  expect(channelBinding(at)).toEqual(binding)
  client.close()
})

test('a client whose groups have no share of ours is asked for one and connects', async () => {
  const client = new CarriedClient({ ...TRUSTED, ecdhCurve: 'P-384:P-256' })
  const first = receive(FRESH, await client.hello(), server)
  expect(first.connection.phase).toBe('retried')
  expect(first.reply[5], 'a HelloRetryRequest is a ServerHello').toBe(2)
  const second = receive(written(first.connection), await client.again(first.reply), server)
  expect(second.connection.phase).toBe('answered')
  const third = receive(written(second.connection), await client.answer(second.reply), server)
  const heard = receive(written(third.connection), await client.write(Buffer.from('x')), server)
  expect(heard.plaintext.toString()).toBe('x')
  client.close()
})

test('a message in many records is read whole, and a reply of 16,384 bytes is one record', async () => {
  const { client, at } = await connect()
  const message = Buffer.alloc(30_000, 'evidence')
  const grown = receive(at, await client.write(message), server)
  expect(grown.plaintext.equals(message)).toBe(true)
  const even = receive(written(grown.connection), await client.write(message, 1_186), server)
  expect(even.plaintext.equals(message)).toBe(true)
  const { records } = send(connectedOf(even.connection), Buffer.alloc(16_384, 1))
  expect(records).toHaveLength(5 + 16_384 + 1 + 16)
  expect(await client.read(records)).toHaveLength(16_384)
  client.close()
})

test('a client that does not trust the certificate ends the connection with an alert', async () => {
  const client = new CarriedClient({ servername: HOST })
  const begun = receive(FRESH, await client.hello(), server)
  await expect(client.answer(begun.reply)).rejects.toThrow('self-signed certificate')
  client.close()
})

test('closing is an alert that ends the connection', async () => {
  const { client, at } = await connect()
  const closing = await new Promise<Buffer>((resolve) => {
    client.socket.end(() => resolve(client.collect()))
  })
  expect(() => receive(at, closing, server)).toThrow(new PeerAlert(0))
})

test.each<[string, tls.ConnectionOptions, string]>([
  ['older versions alone', { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }, 'protocol_version'],
  ['a suite that is not served', { ciphers: 'TLS_AES_128_CCM_SHA256' }, 'handshake_failure'],
  ['a group that is not served', { ecdhCurve: 'P-384' }, 'handshake_failure'],
  ['schemes without P-256', { sigalgs: 'ecdsa_secp384r1_sha384:rsa_pss_rsae_sha256' }, 'handshake_failure'],
])('a client with %s is refused', async (_what, options, alert) => {
  const client = new CarriedClient({ ...TRUSTED, ...options })
  const hello = await client.hello()
  let refusal: unknown
  try {
    receive(FRESH, hello, server)
  } catch (error) {
    refusal = error
  }
  expect(refusal).toBeInstanceOf(TlsRefusal)
  expect(refusal).toMatchObject({ alert })
  client.close()
})

/** Length of the whole records at the start of a stream. */
function wholeRecords(bytes: Buffer): number {
  let at = 0
  while (at + 5 <= bytes.length && at + 5 + bytes.readUInt16BE(at + 3) <= bytes.length)
    at += 5 + bytes.readUInt16BE(at + 3)
  return at
}

/** Serves the bytes of a socket, and answers each text with itself in capitals. */
function serveSocket(socket: Socket): void {
  let connection: Connection = FRESH
  let bytes = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    const length = wholeRecords(bytes)
    if (length === 0) return
    try {
      const received = receive(written(connection), bytes.subarray(0, length), server)
      bytes = bytes.subarray(length)
      connection = received.connection
      socket.write(received.reply)
      if (received.plaintext.length === 0) return
      const sent = send(connectedOf(connection), Buffer.from(received.plaintext.toString().toUpperCase()))
      connection = sent.connection
      socket.write(sent.records)
    } catch {
      socket.end()
    }
  })
}

test.each([
  ['its defaults', []],
  ['ChaCha20 and P-256', ['-ciphersuites', 'TLS_CHACHA20_POLY1305_SHA256', '-groups', 'P-256']],
  ['no compatibility records', ['-no_middlebox']],
  ['another first group', ['-groups', 'P-521:X25519']],
])('s_client of OpenSSL connects with %s, sends a text and reads the answer', async (_what, options) => {
  const listener = createServer(serveSocket).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const child = spawn('openssl', [
    ...['s_client', '-connect', `127.0.0.1:${port}`, '-servername', HOST, '-tls1_3', '-quiet', '-ign_eof'],
    ...options,
  ])
  let answer = ''
  child.stdout.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  child.stdin.write('hello over there\n')
  await expect.poll(() => answer, { timeout: 20_000 }).toBe('HELLO OVER THERE\n')
  child.kill()
  await once(child, 'close')
  listener.close()
})
