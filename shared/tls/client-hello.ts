import { hash } from 'node:crypto'
import { ByteReader, listOf, vector } from './bytes.ts'
import { GROUPS, type Group } from './groups.ts'
import { TlsRefusal } from './refusals.ts'
import { SUITES, type Suite } from './suites.ts'

/** @see RFC 8446 §4.2 */
export const EXTENSION = {
  serverName: 0,
  supportedGroups: 10,
  signatureAlgorithms: 13,
  padding: 21,
  preSharedKey: 41,
  earlyData: 42,
  supportedVersions: 43,
  cookie: 44,
  pskModes: 45,
  keyShare: 51,
} as const

export const TLS_1_3 = 0x0304
const SSL_3 = 0x0300
/** ecdsa_secp256r1_sha256 */
export const ECDSA_P256_SHA256 = 0x0403
const FALLBACK_SCSV = 0x5600
const RANDOM_BYTES = 32
const SESSION_ID_BYTES = 32

type Extensions = ReadonlyMap<number, Buffer>

/** The parts of a ClientHello that a server of this profile needs. */
export interface ClientHello {
  /** legacy session id: echoed, and a sign that the client expects compatibility records when it is not empty */
  readonly sessionId: Buffer
  readonly suite: Suite
  /** the preferred group of both sides with a share, or without one: then a second ClientHello must contain it */
  readonly group: Group
  readonly share: Buffer | undefined
  /** groups of all shares */
  readonly shared: readonly number[]
  /** hash of the parts that a second ClientHello must not change */
  readonly fixed: Buffer
}

const numbers = (bytes: Buffer): number[] => listOf(bytes, (reader) => reader.number(2))

function extensionsIn(reader: ByteReader): Extensions {
  const extensions = new Map<number, Buffer>()
  if (reader.left === 0) return extensions // as clients of former versions may
  const list = listOf(reader.vector(2), (one) => ({ type: one.number(2), data: one.vector(2) }))
  for (const { type, data } of list) {
    if (extensions.has(type)) throw new TlsRefusal('illegal_parameter')
    extensions.set(type, data)
  }
  if (extensions.has(EXTENSION.preSharedKey) && list.at(-1)?.type !== EXTENSION.preSharedKey)
    throw new TlsRefusal('illegal_parameter')
  return extensions
}

/** The list in an extension that contains only a vector. */
function listIn(extensions: Extensions, type: number, lengthBytes: number, least: number): Buffer | undefined {
  const data = extensions.get(type)
  if (data === undefined) return undefined
  const reader = new ByteReader(data)
  const list = reader.vector(lengthBytes, least)
  reader.end()
  return list
}

/** Ours: only version 1.3. @see RFC 8446 §4.2.1, §D.5; RFC 7507 for the mark of a repeated attempt */
function assertVersion(legacy: number, suites: readonly number[], extensions: Extensions): void {
  const versions = listIn(extensions, EXTENSION.supportedVersions, 1, 2)
  if (legacy > SSL_3 && versions !== undefined && numbers(versions).includes(TLS_1_3)) return
  throw new TlsRefusal(suites.includes(FALLBACK_SCSV) ? 'inappropriate_fallback' : 'protocol_version')
}

/** @see RFC 8446 §4.2.3; the server's certificate has a key of this kind */
function assertSignature(extensions: Extensions): void {
  const schemes = listIn(extensions, EXTENSION.signatureAlgorithms, 2, 2)
  if (schemes === undefined) throw new TlsRefusal('missing_extension')
  if (!numbers(schemes).includes(ECDSA_P256_SHA256)) throw new TlsRefusal('handshake_failure')
}

/**
 * Nothing that depends on an earlier connection is offered, so pre-shared keys are passed over. Early data would be
 * protected with one of them. @see RFC 8446 §4.2.9, §4.2.10
 */
function assertNoEarlyData(extensions: Extensions): void {
  const hasKeys = extensions.has(EXTENSION.preSharedKey)
  if (hasKeys && !extensions.has(EXTENSION.pskModes)) throw new TlsRefusal('missing_extension')
  if (extensions.has(EXTENSION.earlyData) && !hasKeys) throw new TlsRefusal('illegal_parameter')
}

/** @see RFC 6066 §3 */
function assertServerName(extensions: Extensions): void {
  const names = listIn(extensions, EXTENSION.serverName, 2, 1)
  if (names === undefined) return
  const types = listOf(names, (reader) => {
    const type = reader.number(1)
    reader.vector(2, 1)
    return type
  })
  if (new Set(types).size < types.length) throw new TlsRefusal('illegal_parameter')
}

/** Shares by group. Both extensions, or neither, are in a ClientHello. @see RFC 8446 §4.2.8, §9.2 */
function sharesIn(extensions: Extensions): { groups: readonly number[]; shares: ReadonlyMap<number, Buffer> } {
  const groups = listIn(extensions, EXTENSION.supportedGroups, 2, 2)
  const list = listIn(extensions, EXTENSION.keyShare, 2, 0)
  if (groups === undefined || list === undefined) throw new TlsRefusal('missing_extension')
  const offered = numbers(groups)
  const shares = new Map<number, Buffer>()
  for (const { group, share } of listOf(list, (one) => ({ group: one.number(2), share: one.vector(2, 1) }))) {
    if (shares.has(group) || !offered.includes(group)) throw new TlsRefusal('illegal_parameter')
    shares.set(group, share)
  }
  return { groups: offered, shares }
}

/** A group with a share comes first: a second ClientHello costs another round trip. */
function groupOf({ groups, shares }: ReturnType<typeof sharesIn>): Group {
  const group = GROUPS.find(({ id }) => shares.has(id)) ?? GROUPS.find(({ id }) => groups.includes(id))
  if (group === undefined) throw new TlsRefusal('handshake_failure')
  return group
}

/** Extensions that a second ClientHello changes, adds or removes. @see RFC 8446 §4.1.2 */
const CHANGING: readonly number[] = [
  EXTENSION.keyShare,
  EXTENSION.preSharedKey,
  EXTENSION.earlyData,
  EXTENSION.cookie,
  EXTENSION.padding,
]

function fixedPart(head: Buffer, extensions: Extensions): Buffer {
  const kept = [...extensions].filter(([type]) => !CHANGING.includes(type))
  const parts = kept.flatMap(([type, data]) => [Buffer.of(type >> 8, type & 0xff), vector(2, data)])
  return hash('sha256', Buffer.concat([head, ...parts]), 'buffer')
}

/**
 * Reads and judges a ClientHello by the profile: version 1.3, three suites, X25519 and P-256, ECDSA with P-256.
 * Unknown extensions, groups, suites and schemes are passed over. @see RFC 8446 §4.1.2, §9.3
 * @throws TlsRefusal
 */
export function readClientHello(body: Buffer): ClientHello {
  const reader = new ByteReader(body)
  const legacy = reader.number(2)
  reader.take(RANDOM_BYTES)
  const sessionId = reader.vector(1, 0, SESSION_ID_BYTES)
  const suites = numbers(reader.vector(2, 2))
  const compression = reader.vector(1, 1)
  const head = body.subarray(0, body.length - reader.left)
  const extensions = extensionsIn(reader)
  reader.end()
  assertVersion(legacy, suites, extensions)
  if (compression.length !== 1 || compression[0] !== 0) throw new TlsRefusal('illegal_parameter')
  assertNoEarlyData(extensions)
  assertServerName(extensions)
  assertSignature(extensions)
  const offered = sharesIn(extensions)
  const suite = SUITES.find(({ id }) => suites.includes(id))
  if (suite === undefined) throw new TlsRefusal('handshake_failure')
  const group = groupOf(offered)
  return {
    sessionId,
    suite,
    group,
    share: offered.shares.get(group.id),
    shared: [...offered.shares.keys()],
    fixed: fixedPart(head, extensions),
  }
}
