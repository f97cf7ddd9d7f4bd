import { BoundedCache } from '../../base/bounded-cache.ts'
import { setting } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'
import { isObject, jsonOf, type Fields } from '../../base/json.ts'
import { sendOnce, serverAt } from '../../base/network/connection.ts'
import { platformAddress } from './platform.ts'

const DIRECTORY = 'https://graph.microsoft.com'
/** Ours: the directory answers within a few hundred milliseconds, while a person waits. */
const WITHIN_MS = 2_000
const ANSWER_BYTES = 4 * 1_048_576
/** The directory's own limit for a page. */
const PAGE = 999
/** Ours: for a person in more groups, only those of the first pages count. */
const PAGES_MOST = 10

/** The application of a tenant that may read its directory. */
export interface DirectoryApplication {
  /** cache key of the record and its present secret: a token is reused only for the same secret */
  readonly name: string
  /** id of the tenant, in lower case */
  readonly tenant: string
  readonly clientId: string
  readonly clientSecret: () => Promise<string>
}

/** A group or a directory role. */
export interface Role {
  readonly id: string
  readonly name: string
}

const unavailable = (sentence: string, cause?: unknown): Refusal => new Refusal('UNAVAILABLE', sentence, { cause })

/** One request, without redirects. @throws Refusal UNAVAILABLE without a complete answer in time */
async function send(
  address: URL,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<{ status: number; fields: Fields }> {
  const lines = Object.entries({
    host: address.host,
    accept: 'application/json',
    connection: 'close',
    ...headers,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const method = body === undefined ? 'GET' : 'POST'
  const request = `${method} ${address.pathname}${address.search} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
  try {
    const timedOut = new Error(`no answer within ${WITHIN_MS} ms`)
    const reply = await sendOnce(serverAt(address), request, { withinMs: WITHIN_MS, timedOut, mostBytes: ANSWER_BYTES })
    const fields = jsonOf(reply.body)
    return { status: reply.status, fields: isObject(fields) ? fields : {} }
  } catch (cause) {
    throw unavailable('The directory did not answer.', cause)
  }
}

interface Token {
  readonly text: string
  readonly untilMs: number
}

/** Ours: an access token is used until a minute before its expiry, and never for more than half an hour. */
const LIFETIME_MS = { before: 60_000, most: 30 * 60_000 }
const tokens = new BoundedCache<Token>(256)

/**
 * An application's access token. @see RFC 6749 §4.4. @throws Refusal UNAVAILABLE; CLOUD_DENIED when the application is
 * refused
 */
async function accessToken(application: DirectoryApplication, directory: string): Promise<string> {
  const { name, tenant, clientId, clientSecret } = application
  const known = tokens.get(name)
  if (known !== undefined && performance.now() < known.untilMs) return known.text
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: await clientSecret(),
    scope: `${directory}/.default`,
  })
  const address = new URL(`${platformAddress()}/${tenant}/oauth2/v2.0/token`)
  const { status, fields } = await send(address, { 'content-type': 'application/x-www-form-urlencoded' }, String(form))
  const { access_token: text, expires_in: seconds } = fields
  if (status !== 200 || typeof text !== 'string' || typeof seconds !== 'number')
    throw status === 400 || status === 401
      ? new Refusal('CLOUD_DENIED', 'The tenant refuses the application that reads its directory.')
      : unavailable('The tenant gives no access token now.')
  const lifetimeMs = Math.min(seconds * 1_000 - LIFETIME_MS.before, LIFETIME_MS.most)
  tokens.set(name, { text, untilMs: performance.now() + lifetimeMs })
  return text
}

function rolesIn({ value }: Fields): Role[] {
  if (!Array.isArray(value)) throw unavailable('The directory answered with something else than a list.')
  return value
    .filter(isObject)
    .flatMap(({ id, displayName: name }) =>
      typeof id === 'string' ? [{ id, name: typeof name === 'string' ? name : '' }] : [],
    )
}

/** The address of the next page, if any; an address of another host is ignored. */
function nextOf({ '@odata.nextLink': next }: Fields, directory: string): URL | undefined {
  const address = typeof next === 'string' && URL.canParse(next) ? new URL(next) : undefined
  return address?.origin === new URL(directory).origin ? address : undefined
}

/**
 * A list of the directory. @returns `undefined` when its subject does not exist
 * @throws Refusal UNAVAILABLE, CLOUD_DENIED
 */
async function listed(application: DirectoryApplication, path: string): Promise<Role[] | undefined> {
  const directory = setting('KEYMGR_DKE_DIRECTORY') || DIRECTORY
  const authorization = `Bearer ${await accessToken(application, directory)}`
  const roles: Role[] = []
  let address: URL | undefined = new URL(`${directory}/v1.0/${path}`)
  for (let page = 0; address !== undefined && page < PAGES_MOST; page++) {
    const { status, fields } = await send(address, { authorization })
    if (status === 404) return undefined
    if (status === 401 || status === 403)
      throw new Refusal('CLOUD_DENIED', 'The application of the tenant may not read its directory.')
    if (status !== 200) throw unavailable('The directory could not be read.')
    roles.push(...rolesIn(fields))
    address = nextOf(fields, directory)
  }
  return roles
}

/** Groups and directory roles of a person, including nested groups; empty for a person unknown to the tenant. */
export const rolesOf = async (application: DirectoryApplication, oid: string): Promise<readonly Role[]> =>
  (await listed(application, `users/${oid}/transitiveMemberOf?$select=id,displayName&$top=${PAGE}`)) ?? []

/**
 * Groups and directory roles of a tenant, by name. Ours: the directory searches groups by the beginning of their names,
 * and has few directory roles.
 * @param filter the beginning of the names, in any case
 */
export async function rolesNamed(application: DirectoryApplication, filter = ''): Promise<readonly Role[]> {
  const quoted = encodeURIComponent(filter.replaceAll("'", "''"))
  const narrowed = filter === '' ? '' : `&$filter=startswith(displayName,'${quoted}')`
  const lists = await Promise.all([
    listed(application, `groups?$select=id,displayName&$top=${PAGE}${narrowed}`),
    listed(application, 'directoryRoles?$select=id,displayName'),
  ])
  return lists
    .flatMap((roles) => roles ?? [])
    .filter(({ name }) => name.toLowerCase().startsWith(filter.toLowerCase()))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
