import * as z from 'zod'
import type { JsonReply } from '../toolkit/json-server.ts'
import type { IdentityProvider } from './identity-provider.ts'
import type { Issuers } from './issuers.ts'

/** Maximum bytes of a resource name. Gmail's names identify a key pair, and are longer. */
const NAME_BYTES = 128
const GMAIL_NAME_BYTES = 512
const PERIMETER_BYTES = 128

const textOf = (mostBytes: number) =>
  z.string().refine((text) => Buffer.byteLength(text) <= mostBytes, `must have at most ${mostBytes} bytes`)

/**
 * As administrators set it in the suite. The real suite accepts only https; the key service of a laptop is on loopback.
 */
const KaclsUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => /^(https:|http:\/\/(localhost|127\.0\.0\.1)[:/])/.test(text), 'must be https, or on loopback')
  .refine((text) => !/[?#]|\/$/.test(text), 'must have no query, fragment and final slash')

const ofResource = (nameBytes: number) => ({
  kacls_url: KaclsUrl,
  resource_name: textOf(nameBytes).min(1),
  perimeter_id: textOf(PERIMETER_BYTES).optional(),
})
const ofPerson = (nameBytes: number) => ({
  ...ofResource(nameBytes),
  authentication: z.string(),
  email_type: z.enum(['google', 'google-visitor', 'customer-idp']).default('google'),
  delegated_to: z.email().optional(),
})

/** Authorizations are for documents, meetings and events; those of Gmail are for people's private keys. */
const AuthorizationBody = z.discriminatedUnion('application', [
  z.strictObject({
    application: z.enum(['drive', 'meet', 'calendar']),
    ...ofPerson(NAME_BYTES),
    role: z.enum(['reader', 'writer', 'upgrader']),
  }),
  z.strictObject({
    application: z.literal('gmail'),
    ...ofPerson(GMAIL_NAME_BYTES),
    role: z.enum(['signer', 'decrypter']),
    message_id: z.string().optional(),
    spki_hash: z.base64().min(1),
    spki_hash_algorithm: z.literal('SHA-256').default('SHA-256'),
  }),
])
const MigrationBody = z.strictObject({ ...ofResource(GMAIL_NAME_BYTES), role: z.enum(['verifier', 'migrator']) })

export const refusal = (status: number, reason: string, message: string): JsonReply => ({
  status,
  body: { error: { code: status, message, status: reason } },
})

/** The body, or a refusal that names the first invalid member. */
function readBody<S extends z.ZodType>(schema: S, body: Buffer): { body: z.output<S> } | { refused: JsonReply } {
  const invalid = (message: string) => ({ refused: refusal(400, 'INVALID_ARGUMENT', message) })
  let json: unknown
  try {
    json = JSON.parse(body.toString('utf8'))
  } catch {
    return invalid('The body is not JSON.')
  }
  const read = schema.safeParse(json)
  if (read.success) return { body: read.data }
  const [{ path, message } = { path: [], message: '' }] = read.error.issues
  return invalid(`${path.join('.') || 'body'}: ${message}`)
}

/** The suite's answers to its browsers and servers, which request authorizations for people and for migrations. */
export interface Authorizations {
  readonly authorize: (body: Buffer) => Promise<JsonReply>
  readonly migrate: (body: Buffer) => Promise<JsonReply>
}

export const createAuthorizations = (provider: IdentityProvider, issuers: Issuers): Authorizations => ({
  authorize: async (bytes) => {
    const read = readBody(AuthorizationBody, bytes)
    if ('refused' in read) return read.refused
    const { authentication, application, ...claims } = read.body
    const email = await emailOf(provider, authentication)
    if (email === undefined) return refusal(401, 'UNAUTHENTICATED', 'The authentication is not valid.')
    return { status: 200, body: { authorization: await issuers.issue(application, { email, ...claims }) } }
  },
  migrate: async (bytes) => {
    const read = readBody(MigrationBody, bytes)
    if ('refused' in read) return read.refused
    return { status: 200, body: { authorization: await issuers.issue('migration', read.body) } }
  },
})

/** The address in the suite of the person in a token. */
async function emailOf({ claimsOf }: IdentityProvider, authentication: string): Promise<string | undefined> {
  const { google_email, email, email_verified } = (await claimsOf(authentication)) ?? {}
  const address = google_email ?? email
  return typeof address === 'string' && address !== '' && email_verified !== false ? address : undefined
}
