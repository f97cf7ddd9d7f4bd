import { randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import * as z from 'zod'
import { ruleBroken } from '../../../base/errors.ts'
import { ANSWER_MS, patiently, readJson } from '../../../cloud/adapter/asking.ts'
import { CloudFailure, retryAfterMs } from '../../../cloud/adapter/failures.ts'
import { send, type CloudReply } from '../../../cloud/adapter/transport.ts'
import { signedHeaders, signingKeyOf } from '../../../crypto/signing/http-signature.ts'
import { addressOf, vaultAddress, type CloudDService } from './endpoints.ts'
import { failure, failures } from './errors.ts'
import { slowDown, takeTurn } from './pace.ts'
import type { CloudDConnection, CloudDEntry, CloudDPlace } from './types.ts'
import { Failure } from './wire.ts'

/** One call. */
interface Call<Reply extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** begins with the version of the service; its parts are encoded */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  readonly body?: object | undefined
  /** of a POST: within a day, the cloud performs requests with the same token once; a new one per call by default */
  readonly retryToken?: string | undefined
  readonly reply: Reply
}

interface Answer<Reply> {
  readonly data: Reply
  /** token that requests the next page of a list */
  readonly next: string | undefined
}

const keys = new WeakMap<CloudDConnection, KeyObject>()

/** Read once for each opened connection: a protected key costs some milliseconds. @throws Refusal RULE_BROKEN */
function keyOf(connection: CloudDConnection): KeyObject {
  const key = keys.get(connection) ?? signingKeyOf(connection.key_file, connection.pass_phrase)
  if (key === undefined)
    throw ruleBroken('key_file', 'must be the PEM of an RSA key of 2048 bits or more', '#/credentials/key_file')
  keys.set(connection, key)
  return key
}

function urlOf(address: string, path: string, query: Call<z.ZodType>['query'] = {}): URL {
  const url = new URL(`${address}${path}`)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value))
  return url
}

/** @throws CloudFailure, Unreadable */
function read<Reply extends z.ZodType>({ status, headers, text }: CloudReply, reply: Reply): Answer<z.infer<Reply>> {
  const isSuccess = status >= 200 && status < 300
  const shown = isSuccess ? { status: 200, text: text === '' ? '{}' : text } : { status, text }
  const data = readJson(shown, reply, (json) => {
    const { code, message } = Failure.safeParse(json).data ?? { code: '', message: '' }
    return failure(code, message, status, retryAfterMs(headers['retry-after']))
  })
  const next = headers['opc-next-page']
  return { data, next: typeof next === 'string' && next !== '' && next.length <= 4_096 ? next : undefined }
}

/** Calls an address. */
function called<Reply extends z.ZodType>(
  entry: CloudDEntry,
  address: string,
  quotaClass: string,
  call: Call<Reply>,
): Promise<Answer<z.infer<Reply>>> {
  const { connection, budget, patience } = entry
  const { method, path, query, body, retryToken = randomUUID(), reply } = call
  const { tenancy_id, cloud_user_id, fingerprint } = connection
  const url = urlOf(address, path, query)
  const text = method === 'GET' || method === 'DELETE' ? undefined : body === undefined ? '' : JSON.stringify(body)
  const paced = `${tenancy_id} ${quotaClass}`
  return patiently(failures, entry, async () => {
    await takeTurn(paced, budget)
    const at = new Date() // the machine's time, which the cloud compares with that of the signature
    const keyId = `${tenancy_id}/${cloud_user_id}/${fingerprint}`
    const headers = {
      ...signedHeaders({ method, url, body: text, at }, keyId, keyOf(connection)),
      ...(method === 'POST' && { 'opc-retry-token': retryToken }),
    }
    try {
      return read(await send({ method, url, headers, body: text, answerWithinMs: ANSWER_MS[patience] }, budget), reply)
    } catch (error) {
      if (error instanceof CloudFailure && error.statusCode === 429) slowDown(paced)
      throw error
    }
  })
}

const access = ({ method }: Pick<Call<z.ZodType>, 'method'>): string => (method === 'GET' ? 'reads' : 'writes')

/** A call to a service of a region. @throws Refusal RULE_BROKEN, CLOUD_… */
export const ask = <Reply extends z.ZodType>(
  entry: CloudDEntry,
  service: CloudDService,
  region: string,
  call: Call<Reply>,
): Promise<Answer<z.infer<Reply>>> =>
  called(entry, addressOf(service, region, entry.connection.tenancy_id), `${service} ${access(call)}`, call)

/** The end of the paths of calls that the cloud counts as creations and deletions of vaults. */
const PROVISIONING = /\/actions\/(scheduleDeletion|cancelDeletion|changeCompartment)$/

/** A call to a vault's own address, for its keys. @throws Refusal CLOUD_… */
export async function askVault<Reply extends z.ZodType>(
  place: CloudDPlace,
  call: Call<Reply>,
): Promise<Answer<z.infer<Reply>>> {
  const { vault, connection, budget } = place
  const kind = PROVISIONING.test(call.path) ? 'kms' : 'keys'
  try {
    const address = vaultAddress(vault.management_endpoint, connection.tenancy_id)
    return await called(place, address, `${kind} ${access(call)}`, call)
  } catch (error) {
    throw failures.refusalFrom(error, budget)
  }
}

/** All items of a list, page by page. @param most number of items after which the list is cut off */
export async function everyPage<Item>(
  page: (next: string | undefined) => Promise<Answer<readonly Item[]>>,
  most: number,
): Promise<Item[]> {
  const all: Item[] = []
  let next: string | undefined
  do {
    const answer = await page(next)
    all.push(...answer.data)
    next = answer.next
  } while (next !== undefined && all.length < most)
  return all.slice(0, most)
}

/** The reply of a call whose body is ignored. */
export const Nothing = z.unknown()
