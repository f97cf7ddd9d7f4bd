import { ruleBroken } from '../../base/errors.ts'
import { isObject, jsonOf, type Fields } from '../../base/json.ts'
import { errorFields, log } from '../../base/log.ts'
import { AddressRefused, sendGuarded, type GuardedRequest } from '../../base/network/guarded-fetch.ts'

/** Ours: for all that is read of a provider together, while a person waits. */
export const PROVIDER_MS = 10_000

/** An address of an identity provider, and the field of the body that it comes from. */
export interface Source {
  readonly field: string
  readonly address: string
  /** of `performance.now()` */
  readonly deadline: number
  readonly allowsLoopback: boolean
}

const GET: GuardedRequest = { method: 'GET', headers: { accept: 'application/json' } }

/** A JSON object at an address. @throws Refusal RULE_BROKEN naming the field; it reveals only the status of the reply */
export async function readProvider(
  { field, address, deadline, allowsLoopback }: Source,
  request: GuardedRequest = GET,
): Promise<Fields> {
  let reply
  try {
    const withinMs = Math.max(0, deadline - performance.now())
    reply = await sendGuarded(new URL(address), request, { allowsLoopback, withinMs })
  } catch (error) {
    log('warn', 'an identity provider could not be read', { address: new URL(address).host, ...errorFields(error) })
    throw ruleBroken(
      field,
      error instanceof AddressRefused ? error.message : 'must be the address of a server that answers',
    )
  }
  if (reply.status !== 200) throw ruleBroken(field, `must answer 200, but answers ${reply.status}`)
  const fields = jsonOf(reply.body)
  if (!isObject(fields)) throw ruleBroken(field, 'must answer with a JSON object')
  return fields
}

/** @param token of the provider, if it protects its key set @throws Refusal RULE_BROKEN unless the source has keys */
export async function assertKeySet(source: Source, token?: string): Promise<void> {
  const headers = { ...GET.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const { keys } = await readProvider(source, { ...GET, headers })
  if (!Array.isArray(keys) || keys.length === 0)
    throw ruleBroken(source.field, 'must be the address of a key set, with a list of keys')
}
