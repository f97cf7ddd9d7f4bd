import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import type { HttpRequest } from '../../toolkit/loopback.ts'
import type { CloudState } from '../state/state.ts'
import type { Directory } from '../directory/directory.ts'
import type { Caller } from './call.ts'
import { unauthenticated } from './errors.ts'

const SKEW_MS = 300_000
/** Headers that the signature of a request with a body must cover. */
const BODY_HEADERS = ['content-length', 'content-type', 'x-content-sha256']
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

interface Authorization {
  readonly keyId: string
  readonly headers: readonly string[]
  readonly signature: Buffer
}

/** The parts of the `authorization` header. @throws ApiError NotAuthenticated */
function readAuthorization(header: string | undefined): Authorization {
  const [, list = ''] = /^Signature (.+)$/i.exec(header ?? '') ?? []
  const parts = new Map([...list.matchAll(/([a-zA-Z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
  const [keyId, signature] = [parts.get('keyId'), parts.get('signature')]
  const isKnown = parts.get('version') === '1' && parts.get('algorithm') === 'rsa-sha256'
  if (!isKnown || keyId === undefined || signature === undefined) throw unauthenticated()
  return {
    keyId,
    headers: (parts.get('headers') ?? '').toLowerCase().split(' '),
    signature: Buffer.from(signature, 'base64'),
  }
}

/** Fingerprint of an API key: the MD5 of its public key in DER. */
export function fingerprintOf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key
  const digest = createHash('md5').update(half.export({ format: 'der', type: 'spki' }))
  return digest.digest('hex').replaceAll(/(..)(?!$)/g, '$1:')
}

/** The signed text: one line for each header of the list. */
function signedText({ method, url, headers }: HttpRequest, names: readonly string[]): string {
  const valueOf = (name: string): string => {
    if (name === '(request-target)') return `${method.toLowerCase()} ${url}`
    const value = headers[name]
    if (value === undefined) throw unauthenticated()
    return String(value)
  }
  return names.map((name) => `${name}: ${valueOf(name)}`).join('\n')
}

/** Whether a list of headers covers the required ones. */
function covers(names: readonly string[], method: string): boolean {
  const hasDate = names.includes('date') || names.includes('x-date')
  const needed = ['(request-target)', 'host', ...(WITH_BODY.has(method) ? BODY_HEADERS : [])]
  return hasDate && needed.every((name) => names.includes(name))
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64')

/**
 * Accepts a time within five minutes of this machine's clock, which SDKs use, or of the simulator's clock, which tests
 * move.
 */
function isFresh({ headers }: HttpRequest, names: readonly string[], now: number): boolean {
  const at = Date.parse(String(headers[names.includes('x-date') ? 'x-date' : 'date']))
  return [Date.now(), now].some((time) => Math.abs(time - at) <= SKEW_MS)
}

/** @throws ApiError NotAuthenticated, the same for every failure */
export async function authenticate(
  { state, directory }: { readonly state: CloudState; readonly directory: Directory },
  request: HttpRequest,
): Promise<Caller> {
  const { keyId, headers: names, signature } = readAuthorization(request.headers.authorization)
  const [tenancyId = '', userId, fingerprint] = keyId.split('/')
  const tenancy = directory.tenancy(tenancyId)
  const user = tenancy?.users.find(({ id }) => id === userId)
  if (tenancy === undefined || user === undefined) throw unauthenticated()
  const key = createPublicKey(await state.userKey(user.id))
  const isSigned =
    fingerprint === fingerprintOf(key) &&
    covers(names, request.method) &&
    verify('sha256', Buffer.from(signedText(request, names)), key, signature)
  const bodyHash = request.headers['x-content-sha256']
  const isWhole = bodyHash === undefined || bodyHash === sha256(request.body)
  if (isSigned && isWhole && isFresh(request, names, state.now())) return { tenancy, user }
  throw unauthenticated()
}
