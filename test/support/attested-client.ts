import type { EkmAnswer, EkmTests } from '../functions/ekm/ekm.ts'
import { CarriedClient } from './tls-client.ts'
import { bytesField, numberField } from './attestation/protobuf.ts'

const SESSION = '/api/v1/keymgr/ekm/session'
const NONCE_LABEL = 'EXPERIMENTAL Google Confidential Computing Client Attestation 1.0'
const GOODBYE = 'TLS Tunneled EndSessionRequest V1'
const CUSTOMER_INITIATED_ACCESS = 5n

const RESOURCE = 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'

const kekIdOf = ({ key_path: path }: any): string => (path as string).split('/').at(-1) ?? ''
const base64 = (bytes: Buffer): string => bytes.toString('base64')

/** Parts of a message that a test changes. */
export interface Inner {
  readonly keyPath?: string
  readonly keyUriPrefix?: string
  readonly aad?: Buffer
  readonly reason?: bigint
  /** the whole message instead */
  readonly message?: Buffer
  /** `requestMetadata` instead of the repeated one */
  readonly metadata?: object
  readonly token?: string
  readonly claims?: object
  /** sends these records instead */
  readonly records?: Buffer
}

/** Kinds of evidence and nonces as a packed list each. */
export const offerOf = (types: readonly number[], nonces: readonly number[] = []): Buffer =>
  Buffer.concat([
    ...(types.length === 0 ? [] : [bytesField(1, Buffer.from(types))]),
    ...(nonces.length === 0 ? [] : [bytesField(2, Buffer.from(nonces))]),
  ])

/** The bytes in field 1 of an answer. */
export function contentOf(message: Buffer): Buffer {
  if (message[0] !== 0x0a) throw new Error('The answer has no field 1')
  let [length, at, shift] = [0, 1, 0]
  for (let byte = 0x80; byte >= 0x80; shift += 7) {
    byte = message.readUInt8(at++)
    length |= (byte & 0x7f) << shift
  }
  if (at + length !== message.length) throw new Error('The answer has more than field 1')
  return message.subarray(at)
}

/**
 * A client as the cloud's own tool is: a TLS client whose flights travel in the bodies of calls, one token for all of
 * them. Each method sends one call and returns its answer; `session` makes all calls up to an accepted session.
 */
export class AttestedClient {
  readonly #ekm: EkmTests
  readonly tls: CarriedClient
  /** as the service names the session, base64 */
  context = ''
  readonly #token: string

  readonly #host: string

  constructor(ekm: EkmTests, host: string, certificate: string, claims: object = {}) {
    this.#host = host
    this.#ekm = ekm
    this.tls = new CarriedClient({ servername: host, ca: certificate })
    this.#token = ekm.token(claims)
  }

  send(call: string, body: object, token = this.#token): Promise<EkmAnswer> {
    return this.#ekm.send(`${SESSION}/${call}`, body, { token, headers: { host: this.#host } })
  }

  /** The tool reads the first byte of the records without checking their length. */
  async begin(): Promise<EkmAnswer> {
    const answered = await this.send('beginsession', { tlsRecords: base64(await this.tls.hello()) })
    if (answered.status === 200) {
      this.context = answered.body.sessionContext
      const records = Buffer.from(answered.body.tlsRecords as string, 'base64')
      if (this.context === '' || records[0] !== 0x16 || records[5] !== 2) throw new Error('This is no ServerHello')
      this.#flight = records
    }
    return answered
  }
  #flight: Buffer = Buffer.alloc(0)

  /** The client's records after the server's flight. */
  finished(): Promise<Buffer> {
    return this.tls.answer(this.#flight)
  }

  async handshake(records?: Buffer): Promise<EkmAnswer> {
    const tlsRecords = base64(records ?? (await this.finished()))
    return this.send('handshake', { sessionContext: this.context, tlsRecords })
  }

  async negotiate(types: readonly number[], nonces?: readonly number[], before?: Buffer): Promise<EkmAnswer> {
    const offer = await this.tls.write(offerOf(types, nonces))
    const offeredEvidenceTypesRecords = base64(Buffer.concat([before ?? Buffer.alloc(0), offer]))
    return this.send('negotiateattestation', { sessionContext: this.context, offeredEvidenceTypesRecords })
  }

  /** The message that the service answered an offer with. */
  async agreed({ body }: EkmAnswer): Promise<Buffer> {
    return this.tls.read(Buffer.from(body.requiredEvidenceTypesRecords as string, 'base64'))
  }

  /** Bytes that evidence of this connection quotes. */
  get nonce(): Buffer {
    const exported = this.tls.socket.exportKeyingMaterial(32, NONCE_LABEL, Buffer.alloc(0))
    return Buffer.concat([Buffer.from('TLSAttestationV1'), exported])
  }

  /** @param attestation sent as evidence @param message sent instead of any evidence @param recordBytes of each record */
  async finalize(attestation?: Buffer, message?: Buffer, recordBytes?: number): Promise<EkmAnswer> {
    const sent = message ?? (attestation && bytesField(1, attestation))
    const records = sent && { attestationEvidenceRecords: base64(await this.tls.write(sent, recordBytes)) }
    return this.send('finalize', { sessionContext: this.context, ...records })
  }

  /** @param attest makes the attestation for a nonce; without it the session has none */
  async session(attest?: (nonce: Buffer) => Buffer): Promise<this> {
    await expectOk(this.begin())
    await expectOk(this.handshake())
    const agreed = await expectOk(this.negotiate(attest ? [1, 2, 3] : [1], attest && [1]))
    await this.agreed(agreed)
    await expectOk(this.finalize(attest?.(this.nonce)))
    return this
  }

  /** A request as the tool makes it. */
  message(endpoint: any, content: Buffer, inner: Inner = {}): Buffer {
    const { keyPath = kekIdOf(endpoint), keyUriPrefix = '', reason = CUSTOMER_INITIATED_ACCESS, aad } = inner
    const context = Buffer.concat([bytesField(2, Buffer.from(RESOURCE)), bytesField(3, numberField(1, reason))])
    return Buffer.concat([
      bytesField(1, Buffer.from(keyPath)),
      bytesField(2, content),
      bytesField(3, context),
      ...(aad ? [bytesField(4, aad)] : []),
      ...(keyUriPrefix === '' ? [] : [bytesField(5, Buffer.from(keyUriPrefix))]),
    ])
  }

  /** One request with a key. The tool repeats key and context outside of the session. */
  async confidential(endpoint: any, verb: string, content: Buffer, inner: Inner = {}): Promise<EkmAnswer> {
    const { keyPath = kekIdOf(endpoint), keyUriPrefix = '', reason = CUSTOMER_INITIATED_ACCESS } = inner
    const requestMetadata = inner.metadata ?? {
      keyPath,
      ...(keyUriPrefix !== '' && { keyUriPrefix }),
      additionalContext: { relativeResourceName: RESOURCE, accessReasonContext: { reason: Number(reason) } },
    }
    const records = inner.records ?? (await this.tls.write(inner.message ?? this.message(endpoint, content, inner)))
    const body = { sessionContext: this.context, tlsRecords: base64(records), requestMetadata }
    const token = inner.claims ? this.#ekm.token(inner.claims) : (inner.token ?? this.#token)
    return this.#ekm.call(endpoint, verb, body, { token })
  }

  /** The content of an answer, read at once. */
  async content({ body }: EkmAnswer): Promise<Buffer> {
    return contentOf(await this.tls.read(Buffer.from(body.tlsRecords as string, 'base64')))
  }

  async wrap(endpoint: any, plaintext: Buffer, inner?: Inner): Promise<Buffer> {
    return this.content(await expectOk(this.confidential(endpoint, 'confidentialwrap', plaintext, inner)))
  }

  async unwrap(endpoint: any, blob: Buffer, inner?: Inner): Promise<Buffer> {
    return this.content(await expectOk(this.confidential(endpoint, 'confidentialunwrap', blob, inner)))
  }

  async end(text = GOODBYE): Promise<EkmAnswer> {
    const tlsRecords = base64(await this.tls.write(Buffer.from(text)))
    return this.send('endsession', { sessionContext: this.context, tlsRecords })
  }
}

/** The answer, which must be a success. */
async function expectOk(call: Promise<EkmAnswer>): Promise<EkmAnswer> {
  const answered = await call
  if (answered.status !== 200) throw new Error(`Answered ${answered.status}: ${answered.text}`)
  return answered
}
