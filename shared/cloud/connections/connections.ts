import { TESTED } from '../../http/connection-test.ts'
import type { Context, Subject } from '../../http/context.ts'
import { Refusal, nameTaken } from '../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { budgetOf } from '../budget.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Connection } from './model.ts'
import type { ChangedOfConnection, GivenOfConnection } from './bodies.ts'
import { connections, type StoredConnection } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { defined, patched, without } from '../../base/fields.ts'
import { findConnection, findConnectionOf } from './find-connection.ts'
import type { AnyConnectionKind, Own, Secrets, Taken } from './kind.ts'
import { connectionKind } from './kinds.ts'
import { sealSecrets } from './open-connection.ts'
import { presentStored, told } from './present-connection.ts'
import { secretsOf } from './requests/requests.ts'
import { describeUsers, detachConnection, wakeUsers } from './users-of.ts'

const nameIsTaken = (_kind: string, name: string): Refusal => nameTaken('connection', name)

/** @throws Refusal NOT_FOUND */
export async function getConnection(context: Context, kind: string, nameOrId: string): Promise<Stored<Connection>> {
  return presentStored(await findConnectionOf(kind, context, nameOrId))
}

/** Fields common to all kinds; the body has the kind's own fields too. */
type CreateBody = GivenOfConnection & { readonly name: string }

const USED_UP =
  'The cloud has exchanged the secret: unless the connection was saved, it is used up, and another is needed.'

/** The secrets to store, after an exchange at the cloud, which is made once a request. @throws Refusal of the cloud */
async function exchangedSecrets(
  context: Context,
  { exchanged }: Pick<AnyConnectionKind, 'exchanged'>,
  fields: object,
  secrets: Secrets | null | undefined,
  subject: Subject,
): Promise<Secrets | null | undefined> {
  if (exchanged === undefined || !secrets) return secrets
  context.about(subject)
  context.beforeEffects()
  return context.once('exchange of secrets', async () => {
    const exchangedFor = await exchanged(fields, secrets, await budgetOf(context))
    if (exchangedFor !== secrets) context.remark(USED_UP)
    return exchangedFor
  })
}

/** Creates a connection, not yet tested. @throws Refusal NOT_SUPPORTED, RULE_BROKEN, NAME_TAKEN, CLOUD_… */
export async function createConnection(
  context: Context,
  service: string,
  body: CreateBody,
): Promise<Stored<Connection>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { name, products, description, labels, meta, ...own } = body
  const taken = { domain, now, isTest: false }
  const kind = await connectionKind(service)
  const { fields, ...secret } = await kind.made(taken, own)
  const given = await secretsOf(taken, secret, changes)
  if (kind.exchanged && (await connections.holder(domain, 'name', name)) !== undefined) throw nameIsTaken('name', name)
  const id = uuid(now)
  const uri = resourceUri(domain, 'connectionmgmt', 'connections', id)
  const secrets = await exchangedSecrets(context, kind, fields, given, { uri, name })
  const base = {
    ...commonFields(domain, id, uri, now),
    name,
    service,
    category: kind.category ?? 'cloud',
    resource_url: `/v1/connectionmgmt/services/${service}/connections/${id}`,
    products,
    labels: labels ?? {},
    ...defined({ description, meta }),
    ...(secrets && { sealed: await sealSecrets(domain, id, secrets) }),
  }
  const connection = withOwn(base, fields)
  changes.create(connections, domain, connection, nameIsTaken)
  context.about({ uri: connection.uri, name: connection.name, after: (await told({}, connection)).after })
  return presentStored({ item: connection, rev: 1 })
}

/** The record with new values for the fields of its kind. */
const withOwn = (record: object, fields: object): StoredConnection => connections.schema.parse({ ...record, ...fields })

/** A record without the kind's own fields. */
const withoutOwn = (record: StoredConnection, own: object): object => without(record, ...Object.keys(own)) // the kind's own fields are fields of the record

/** A record after a change, and its secrets if they change. */
export interface ChangedConnection extends Pick<Own<object>, 'secrets' | 'requested'> {
  readonly record: StoredConnection
}

/**
 * Changes only the fields that are present; `null` removes. Sealed secrets stay.
 * @throws Refusal NOT_SUPPORTED, RULE_BROKEN with every broken rule
 */
export async function changedConnection(
  taken: Taken,
  before: StoredConnection,
  body: ChangedOfConnection,
): Promise<ChangedConnection> {
  const { description, products, labels, meta, ...own } = body
  const kind = await connectionKind(before.service)
  const former: object = kind.fieldsOf(before)
  const { fields, ...secret } = await kind.changed(taken, former, own, before.sealed !== undefined)
  const common = patched<object>(withoutOwn(before, former), {
    description,
    products,
    meta,
    labels: labels === null ? {} : labels,
  })
  return { record: withOwn(common, fields), ...secret }
}

/** The sealed secrets after a change. */
function sealedAfter(
  domain: string,
  { id, sealed }: StoredConnection,
  secrets: Secrets | null | undefined,
): Promise<string | undefined> | string | undefined {
  if (secrets === undefined) return sealed
  return secrets === null ? undefined : sealSecrets(domain, id, secrets)
}

/** The fields that decide how a cloud is accessed, as text: equal texts mean the same access, secrets aside. */
export const entryText = async (record: StoredConnection): Promise<string> => {
  const kind = await connectionKind(record.service)
  return JSON.stringify(kind.entryOf(kind.fieldsOf(record)))
}

/**
 * The accounts of each edition of a cloud are separate, so a connection in use keeps its edition. @throws Refusal
 * IN_USE
 */
async function assertUnused(domain: string, { id, cloud_name = '' }: StoredConnection): Promise<void> {
  const users = await describeUsers(domain, id)
  if (users !== undefined)
    throw new Refusal('IN_USE', `${users}. It stays with ${cloud_name}.`, {
      errors: [{ pointer: '#/cloud_name', detail: `must stay ${cloud_name} while the connection is used` }],
    })
}

/**
 * Ours: a secret in the body counts as a new one, even when it is equal.
 * @throws Refusal NOT_FOUND, VERSION_STALE, NOT_SUPPORTED, RULE_BROKEN, IN_USE for another edition of the cloud
 */
export async function updateConnection(
  context: Context,
  kind: string,
  nameOrId: string,
  body: ChangedOfConnection,
): Promise<Stored<Connection>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored: Stored<StoredConnection> = await findConnectionOf(kind, context, nameOrId)
  assertIfMatch(context, stored)
  const { item: before, rev } = stored
  const taken = { domain, now, isTest: false }
  const changed = await changedConnection(taken, before, body)
  if (changed.record.cloud_name !== before.cloud_name) await assertUnused(domain, before)
  const given = await secretsOf(taken, changed, changes)
  const subject = { uri: before.uri, name: before.name, record: before }
  const secrets = await exchangedSecrets(context, await connectionKind(kind), changed.record, given, subject)
  const sealed = await sealedAfter(domain, before, secrets)
  const isSameEntry = sealed === before.sealed && (await entryText(changed.record)) === (await entryText(before))
  const after = withOwn(without(changed.record, 'sealed', ...(isSameEntry ? [] : TESTED)), {
    ...defined({ sealed }),
    updatedAt: now.toISOString(),
  })
  changes.update(connections, domain, stored, after)
  if (!isSameEntry) wakeUsers(context, after.id)
  context.about({ uri: after.uri, name: after.name, ...(await told(before, after)), record: before })
  return presentStored({ item: after, rev: rev + 1 })
}

/**
 * Deletes a connection. With `force` also one in use, whose users then have no connection.
 * @param kind only a connection of this kind
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE
 */
export async function deleteConnection(
  context: Context,
  nameOrId: string,
  { kind, force = false }: { kind?: string; force?: boolean } = {},
): Promise<void> {
  const domain = context.caller.domain.id
  const stored =
    kind === undefined ? await findConnection(context, nameOrId) : await findConnectionOf(kind, context, nameOrId)
  assertIfMatch(context, stored)
  const { id, uri, name } = stored.item
  const users = await describeUsers(domain, id)
  if (users !== undefined && !force)
    throw new Refusal(
      'IN_USE',
      `${users}. Give each another one first (PATCH with connection; their lists find them by connection=${name}), or send force.`,
    )
  if (users !== undefined) await detachConnection(context, id)
  context.changes.remove(connections, domain, stored)
  context.about({ uri, name, before: (await told(stored.item, {})).before, record: stored.item })
}
