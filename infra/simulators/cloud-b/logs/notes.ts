import { fieldsOf } from '../../toolkit/json-body.ts'
import type { Arrived, Reply } from '../wire/arrived.ts'
import { isObject } from '../wire/body.ts'
import type { Caller } from '../login/caller.ts'
import { hostOf, vaultIdOf, type Vault } from '../directory/directory.ts'
import type { ApiError } from '../wire/errors.ts'
import type { House } from '../wire/house.ts'
import type { LogRow } from './rows.ts'
import type { CloudState } from '../state/state.ts'
import { routeOf } from '../vaults/vault-routes.ts'

/** The vault of a call, and its caller once the token was verified. */
export interface Known {
  readonly vault: Vault
  readonly caller?: Caller
}

interface Finished extends Known {
  readonly arrived: Arrived
  readonly reply: Reply
  readonly refusal: ApiError | undefined
  readonly operation: string
  readonly requestId: string
}

const WORDS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'NoContent' }

/** Identifier of the item in a call: from the answer, or else from the path. */
function subjectOf({ arrived, reply, vault }: Finished): string {
  const { key, id } = fieldsOf(reply.body)
  const named = isObject(key) ? key.kid : id
  return typeof named === 'string' ? named : `https://${hostOf(vault)}${arrived.path}`
}

/** Adds a row to the log of a vault, if it has one. Calls without a valid token are logged too. */
export function noteCall({ state }: House, finished: Finished): void {
  const { vault, caller, arrived, reply, refusal, operation, requestId } = finished
  if (vault.workspace === undefined || routeOf(arrived.method, arrived.path) === undefined) return
  const { headers, query, uri } = arrived
  const correlation = headers['x-ms-client-request-id']
  const at = state.now()
  const last = state.rows(vault.workspace).at(-1)
  const row: LogRow = {
    id: requestId,
    workspace: vault.workspace,
    at,
    tick: last?.at === at ? last.tick + 1 : 0,
    vault: vault.name,
    resourceId: vaultIdOf(vault),
    operation,
    apiVersion: query.get('api-version') ?? '',
    status: reply.status,
    signature: refusal?.code ?? WORDS[reply.status] ?? String(reply.status),
    description: refusal?.message,
    subject: subjectOf(finished),
    requestUri: uri,
    userAgent: headers['user-agent'] ?? '',
    address: '127.0.0.1',
    correlationId: typeof correlation === 'string' ? correlation : requestId,
    clientId: caller?.clientId,
    objectId: caller?.objectId,
    upn: caller?.upn,
    tenant: caller?.tenant,
  }
  state.addRows([row])
}

/** A seeded row of a vault's log. */
export interface CloudBSeedRow {
  readonly at: Date
  /** such as `KeyGet` */
  readonly operation: string
  /** Name of the key. */
  readonly key?: string
  /** Object id of an application or a user. */
  readonly principal: string
  /** default: 200 */
  readonly status?: number
}

/** Adds rows to the log of a vault. Their ids depend only on vault and number. */
export function seedRows(state: CloudState, vault: Vault, count: number, describe: (n: number) => CloudBSeedRow): void {
  const { workspace } = vault
  if (workspace === undefined) throw new Error(`The vault ${vault.name} has no log.`)
  const base = `https://${hostOf(vault)}/keys`
  const rows = Array.from({ length: count }, (_, n): LogRow => {
    const { at, operation, key, principal, status = 200 } = describe(n)
    const application = state.all('application').find(({ objectId }) => objectId === principal)
    const id = `seeded-${vault.name}-${String(n).padStart(8, '0')}`
    const subject = key === undefined ? base : `${base}/${key}`
    return {
      ...{ id, workspace, at: at.getTime(), tick: n, vault: vault.name, resourceId: vaultIdOf(vault), operation },
      ...{ apiVersion: '2025-07-01', status, signature: WORDS[status] ?? String(status), subject },
      ...{ requestUri: `${subject}?api-version=2025-07-01`, userAgent: 'seeded', address: '127.0.0.1' },
      correlationId: id,
      clientId: application?.clientId,
      objectId: principal,
      upn: state.thing('user', principal)?.upn,
      tenant: application?.tenant ?? state.thing('user', principal)?.tenant,
    }
  })
  state.addRows(rows)
}
