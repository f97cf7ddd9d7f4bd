import { createHmac, hash, randomBytes, createSecretKey, type KeyObject } from 'node:crypto'
import { constantTimeEqual } from '../crypto/constant-time.ts'

/*
 * Verification of Signature Version 4 on requests to a data plane. Every refusal looks the same to the caller: these
 * functions return `undefined` or `false`, and never the reason.
 */

const ALGORITHM = 'AWS4-HMAC-SHA256'
const TERMINATOR = 'aws4_request'
/** Protocol of external key stores, "SigV4 verification": exactly five minutes passes. */
const SKEW_MS = 5 * 60_000

/** The three parts in this order, separated by a comma and optional spaces. */
const FORM =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, *SignedHeaders=([^,\s=]+), *Signature=([0-9a-f]{64})$/
const STAMP = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

type Headers = Readonly<Record<string, string | undefined>>

/** The signed parts of a request, as received. */
export interface SignedRequest {
  readonly method: string
  /** consists of characters that need no encoding, so it is the canonical path */
  readonly path: string
  /** lower-case names; repeated ones joined by commas */
  readonly headers: Headers
  readonly body: string | Buffer
}

/** A well-formed signature, made in time and for this service and region. It is not verified yet. */
export interface Claim {
  readonly accessKeyId: string
  /** `yyyymmdd` */
  readonly day: string
  readonly region: string
  readonly service: string
  /** `x-amz-date` */
  readonly stamp: string
  readonly signedHeaders: string
  readonly signature: string
}

let lastStamp: { readonly stamp: string; readonly ms: number | undefined } | undefined

/** Time of a stamp, if it names a real moment. Most requests have the same stamp as the one before. */
function timeOf(stamp: string): number | undefined {
  if (lastStamp?.stamp !== stamp) lastStamp = { stamp, ms: parseStamp(stamp) }
  return lastStamp.ms
}

function parseStamp(stamp: string): number | undefined {
  const [, year, month, day, hour, minute, second] = STAMP.exec(stamp) ?? []
  if (year === undefined) return undefined
  const ms = Date.parse(`${year}-${String(month)}-${String(day)}T${String(hour)}:${String(minute)}:${String(second)}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

/** HTTP/2 sends the host as `:authority`; a signature over that name covers the host. */
const valueOf = (headers: Headers, name: string): string | undefined =>
  name === 'host' || name === ':authority'
    ? (headers[':authority'] ?? headers.host)
    : Object.hasOwn(headers, name) // callers choose the names: `constructor` was not sent
      ? headers[name]
      : undefined

/**
 * The claim of the `Authorization` header. `undefined` for a header that is absent, malformed or doubled; that does not
 * sign host and date; that is signed for another service or region; whose day is not that of `x-amz-date`; or whose
 * `x-amz-date` is more than five minutes off.
 * @param nowMs of the request
 */
export function readClaim(
  headers: Headers,
  { service, region }: { readonly service: string; readonly region: string },
  nowMs: number,
): Claim | undefined {
  const [, accessKeyId, day, ofRegion, ofService, signedHeaders, signature] =
    FORM.exec(headers.authorization ?? '') ?? []
  const stamp = headers['x-amz-date'] ?? ''
  const signedAt = timeOf(stamp)
  if (accessKeyId === undefined || day === undefined || signature === undefined || signedHeaders === undefined)
    return undefined
  if (signedAt === undefined || Math.abs(nowMs - signedAt) > SKEW_MS || !stamp.startsWith(day)) return undefined
  if (ofRegion !== region || ofService !== service) return undefined
  return { accessKeyId, day, region, service, stamp, signedHeaders, signature }
}

interface SignedNames {
  readonly given: string
  readonly sorted: readonly string[]
  readonly joined: string
}
let lastNames: SignedNames | undefined

/**
 * Names of the signed headers in their order. `undefined` for a duplicate name, or when a required header is not
 * signed.
 */
function namesOf(given: string): SignedNames | undefined {
  if (lastNames?.given === given) return lastNames // a cloud signs the same headers each time
  const sorted = given.split(';').toSorted()
  const isBound = (sorted.includes('host') || sorted.includes(':authority')) && sorted.includes('x-amz-date')
  if (!isBound || new Set(sorted).size < sorted.length) return undefined
  lastNames = { given, sorted, joined: sorted.join(';') }
  return lastNames
}

/** One line for each signed header. `undefined` when one is absent. */
function canonicalLines(headers: Headers, names: readonly string[]): string | undefined {
  let lines = ''
  for (const name of names) {
    const value = valueOf(headers, name)
    if (value === undefined) return undefined
    const trimmed = value.trim()
    lines += `${name}:${trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed}\n`
  }
  return lines
}

const hmacOf = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** A key for unknown credentials: their refusal takes the same work as that of a wrong signature. */
const nobody = createSecretKey(randomBytes(32))

/**
 * Whether the request has the signature that `key` produces for it. The hash covers the body itself, whatever hash a
 * header claims. There is no query, so its line is empty.
 * @param key of the claim's credential, day, region and service; `undefined` for an unknown credential
 */
export function isSigned(
  { method, path, headers, body }: SignedRequest,
  { day, region, service, stamp, signedHeaders, signature }: Claim,
  key: KeyObject | undefined,
): boolean {
  const names = namesOf(signedHeaders)
  const lines = names && canonicalLines(headers, names.sorted)
  if (lines === undefined) return false
  const request = `${method}\n${path}\n\n${lines}\n${names?.joined ?? ''}\n${hash('sha256', body)}`
  const toSign = `${ALGORITHM}\n${stamp}\n${day}/${region}/${service}/${TERMINATOR}\n${hash('sha256', request)}`
  const isRight = constantTimeEqual(hmacOf(key ?? nobody, toSign), Buffer.from(signature, 'hex'))
  return isRight && key !== undefined
}
