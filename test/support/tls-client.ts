import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import * as tls from 'node:tls'
import { issueCertificate } from '../../infra/simulators/toolkit/x509.ts'
import { number, vector } from '../../shared/tls/bytes.ts'
import {
  applicationSecrets,
  handshakeSecrets,
  hashOf,
  nextTrafficSecret,
  verifyData,
} from '../../shared/tls/key-schedule.ts'
import { clearRecord, CONTENT, Direction, recordsIn } from '../../shared/tls/records.ts'
import type { TlsServer } from '../../shared/tls/server.ts'
import { SUITES, type Suite } from '../../shared/tls/suites.ts'

const DAY_MS = 86_400_000

const servers = new Map<string, TlsServer & { readonly cert: string }>()

/** A server with a self-signed certificate for the host; one per process. */
export function testServer(host: string): TlsServer & { readonly cert: string } {
  const known = servers.get(host)
  if (known) return known
  const [from, to] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)]
  const { cert, key } = issueCertificate({
    commonName: host,
    purpose: 'server',
    names: { dns: [host], ip: [] },
    from,
    to,
  })
  const server = { chain: [new X509Certificate(cert).raw], key: createPrivateKey(key), cert }
  servers.set(host, server)
  return server
}

/** Collects the bytes that the client writes; passes it the bytes that it reads. */
class Line extends Duplex {
  written: Buffer[] = []

  override _read(): void {
    // bytes are pushed when they arrive
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    this.written.push(chunk)
    this.emit('written')
    done()
  }

  /** Whether a whole record of the type was written since the last time. */
  hasType(type: number): boolean {
    const bytes = Buffer.concat(this.written)
    for (let at = 0; at + 5 <= bytes.length; at += 5 + bytes.readUInt16BE(at + 3))
      if (bytes[at] === type) return at + 5 + bytes.readUInt16BE(at + 3) <= bytes.length
    return false
  }

  /** The bytes that were written since the last call. */
  collect(): Buffer {
    const bytes = Buffer.concat(this.written)
    this.written = []
    return bytes
  }
}

/** Sizes of the first records of a Go client: they grow with each record until they are full. */
const FIRST_RECORD_BYTES = 1_186
const LARGEST_RECORD_BYTES = 16_384

/**
 * Node's own TLS client with manual transport of its records, like the tool of the cloud: one flight per call. Its
 * records of application data grow like those of that tool.
 */
export class CarriedClient {
  readonly #line = new Line()
  readonly socket: tls.TLSSocket
  #sent = 0

  constructor(options: tls.ConnectionOptions) {
    this.socket = tls.connect({ socket: this.#line, minVersion: 'TLSv1.3', ...options })
    this.socket.on('error', () => undefined) // the waiting caller handles it
  }

  /** The first flight. */
  async hello(): Promise<Buffer> {
    if (this.#line.written.length === 0) await once(this.#line, 'written')
    return this.#line.collect()
  }

  /**
   * Passes the server's flight to the client; returns the client's answer, and rejects if the client refuses the
   * server.
   */
  async answer(flight: Buffer): Promise<Buffer> {
    const connected = once(this.socket, 'secureConnect')
    this.#line.push(flight)
    await connected
    // The compatibility record and Finished may be written one by one, after the event.
    while (!this.#line.hasType(CONTENT.applicationData)) await once(this.#line, 'written')
    return this.#line.collect()
  }

  /** Hands over a HelloRetryRequest; returns the second ClientHello. */
  async again(request: Buffer): Promise<Buffer> {
    const written = once(this.#line, 'written')
    this.#line.push(request)
    await written
    return this.#line.collect()
  }

  /** One message as the records of the tool. @param recordBytes size of every record instead */
  async write(message: Buffer, recordBytes?: number): Promise<Buffer> {
    for (let at = 0; at < message.length;) {
      const size = recordBytes ?? Math.min(LARGEST_RECORD_BYTES, FIRST_RECORD_BYTES * (this.#sent + 1))
      await new Promise((resolve) => this.socket.write(message.subarray(at, at + size), resolve))
      this.#sent++
      at += size
    }
    return this.#line.collect()
  }

  /** One message of the server, read at once. */
  async read(records: Buffer): Promise<Buffer> {
    const data = once(this.socket, 'data')
    this.#line.push(records)
    const [message] = (await data) as [Buffer]
    return message
  }

  /** The bytes that the client wrote since the last call. */
  collect(): Buffer {
    return this.#line.collect()
  }

  close(): void {
    this.socket.destroy()
  }
}

const extension = (type: number, ...data: readonly Uint8Array[]): Buffer =>
  Buffer.concat([number(2, type), vector(2, ...data)])
const numbers = (...list: readonly number[]): Buffer => Buffer.concat(list.map((one) => number(2, one)))

/** Parts of a ClientHello that a test changes. */
export interface HelloParts {
  readonly version?: number
  readonly random?: Buffer
  readonly sessionId?: Buffer
  readonly suites?: Buffer
  readonly compression?: Buffer
  /** by type, in the order in which they are sent; `undefined` leaves one out */
  readonly extensions?: Readonly<Record<number, Buffer | undefined>>
  readonly more?: readonly Buffer[]
  readonly type?: number
  readonly after?: Buffer
}

const X25519 = 0x001d
const AES128 = SUITES[0] as Suite

/** A client that is written by hand, so that it can break every rule. */
export class HandClient {
  readonly #pair = generateKeyPairSync('x25519')
  readonly share = this.#pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  #transcript: Buffer = Buffer.alloc(0)
  /** the direction in which the client writes */
  write: Direction | undefined

  /** A ClientHello message. */
  hello(parts: HelloParts = {}): Buffer {
    const extensions: Record<number, Buffer | undefined> = {
      10: vector(2, numbers(X25519)),
      13: vector(2, numbers(0x0403)),
      43: vector(1, numbers(0x0304)),
      51: vector(2, number(2, X25519), vector(2, this.share)),
      ...parts.extensions,
    }
    const list = Object.entries(extensions).flatMap(([type, data]) =>
      data === undefined ? [] : [extension(Number(type), data)],
    )
    const body = Buffer.concat([
      number(2, parts.version ?? 0x0303),
      parts.random ?? Buffer.alloc(32, 7),
      vector(1, parts.sessionId ?? Buffer.alloc(32, 9)),
      vector(2, parts.suites ?? numbers(0x1301)),
      vector(1, parts.compression ?? Buffer.of(0)),
      vector(2, ...list, ...(parts.more ?? [])),
      parts.after ?? Buffer.alloc(0),
    ])
    const message = Buffer.concat([number(1, parts.type ?? 1), vector(3, body)])
    this.#transcript = message
    return message
  }

  helloRecord(parts: HelloParts = {}): Buffer {
    return clearRecord(CONTENT.handshake, this.hello(parts))
  }

  /** Reads the server's flight, and prepares the keys. Returns verify_data of the client's Finished. */
  takeFlight(reply: Buffer): { readonly verify: Buffer; readonly application: Buffer; readonly server: Buffer } {
    const [first, ...rest] = recordsIn(reply)
    const sealed = rest.find(({ type }) => type === CONTENT.applicationData)
    if (first === undefined || sealed === undefined) throw new Error('This is no flight of a server')
    const share = first.body.subarray(4 + 2 + 32 + 33 + 3 + 2 + 8).subarray(0, 32)
    const spki = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), share])
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    const secret = diffieHellman({ privateKey: this.#pair.privateKey, publicKey })
    const hellos = Buffer.concat([this.#transcript, first.body])
    const { client, server, master } = handshakeSecrets(AES128, secret, hashOf(AES128, hellos))
    const { bytes: flight } = new Direction(AES128, server).unprotect(sealed)
    const finishedHash = hashOf(AES128, hellos, flight)
    const application = applicationSecrets(AES128, master, finishedHash)
    this.write = new Direction(AES128, Buffer.from(client))
    return {
      verify: verifyData(AES128, client, finishedHash),
      application: application.client,
      server: application.server,
    }
  }

  /** A protected record of the present keys. */
  protect(type: number, content: Buffer): Buffer {
    if (this.write === undefined) throw new Error('There are no keys yet')
    return this.write.protect(type, content)
  }

  /** The secret after a KeyUpdate. */
  nextSecret(): Buffer {
    if (this.write === undefined) throw new Error('There are no keys yet')
    return nextTrafficSecret(AES128, this.write.secret)
  }

  /** Uses other keys from now on: those of application data, after Finished. */
  use(secret: Buffer): void {
    this.write = new Direction(AES128, Buffer.from(secret))
  }
}

/** A handshake message. */
export const handshakeMessage = (type: number, body: Buffer): Buffer =>
  Buffer.concat([number(1, type), vector(3, body)])
