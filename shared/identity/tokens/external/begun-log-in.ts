import * as z from 'zod'
import { jsonOf } from '../../../base/json.ts'
import { reached } from '../../../base/time.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import { strictObject } from '../../../base/lazy-fields.ts'
import { usedLogins } from './used-log-ins.ts'

const common = {
  id: z.uuid(),
  /** domain of the connection */
  home: z.uuid(),
  connection: z.uuid(),
  /** domain of the log-in */
  domain: z.string(),
  until: z.string(),
}
const BegunLogin = z.discriminatedUnion('kind', [
  strictObject(() => ({
    kind: z.literal('code'),
    ...common,
    redirectUri: z.string(),
    state: z.string(),
    nonce: z.string(),
    codeVerifier: z.string(),
  })),
  strictObject(() => ({ kind: z.literal('device'), ...common, deviceCode: z.string(), interval: z.number() })),
])
type BegunLogin = z.infer<typeof BegunLogin>
type BegunOf<K extends BegunLogin['kind']> = Extract<BegunLogin, { kind: K }>

export type BegunDevice = BegunOf<'device'>

const PURPOSE = (kind: BegunLogin['kind']): string[] => ['begun-log-in', kind]
const TOKEN = /^([0-9a-f]{8}-[0-9a-f-]{27})\.([0-9a-f-]{36}\.[A-Za-z0-9+/=]+)$/

/** The same refusal for a log-in that is unknown, expired, used, or refused by the provider. */
export const notValid = (): Refusal =>
  new Refusal('LOGIN_FAILED', 'The log-in by the identity provider is not valid: begin again.')

/**
 * The state that finishes a log-in with a provider. It is not stored: the client that started the log-in keeps it
 * encrypted, so a stolen code alone is worthless.
 */
export async function sealedLogin(begun: BegunLogin): Promise<string> {
  return `${begun.home}.${await sealFor(begun.home, PURPOSE(begun.kind), Buffer.from(JSON.stringify(begun)))}`
}

/** @throws Refusal LOGIN_FAILED unless this service encrypted it, and it is valid and unused; UNAVAILABLE */
export async function openedLogin<K extends BegunLogin['kind']>(
  { now }: Pick<Context, 'now'>,
  kind: K,
  token: string,
): Promise<BegunOf<K>> {
  const [, home, sealed] = TOKEN.exec(token) ?? []
  if (home === undefined || sealed === undefined) throw notValid()
  let begun: BegunLogin
  try {
    begun = BegunLogin.parse(jsonOf((await openFor(home, PURPOSE(kind), sealed)).toString('utf8')))
  } catch (error) {
    throw error instanceof Refusal && error.reason === 'CIPHERTEXT_INVALID' ? notValid() : error
  }
  const used = await usedLogins.get(home, begun.id)
  if (reached(begun.until, now) || used !== undefined) throw notValid()
  return begun as BegunOf<K> // it was encrypted for this purpose
}

/** A log-in can be finished once. The commit fails with `Stale` when another request was faster. */
export const useLogin = ({ changes }: Pick<Context, 'changes'>, { home, id, until }: BegunLogin): void =>
  changes.create(usedLogins, home, { id, until })
