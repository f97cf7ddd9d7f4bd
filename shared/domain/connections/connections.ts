import type { Clouds } from '../../clouds/registry.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../errors.ts'
import { commonFields, resourceUri, uuid } from '../../ids.ts'
import { honourIfMatch } from '../../if-match.ts'
import type { Connection, CreateConnection, UpdateConnection } from '../../model/connection.ts'
import { connections, type StoredConnection } from '../../store/connection.ts'
import type { Stored } from '../../store/entity.ts'
import { patched, without } from '../fields.ts'
import { findConnection, findConnectionOf } from './find-connection.ts'
import { entryOf, sealSecrets } from './open-connection.ts'
import { presentStored, told } from './present-connection.ts'
import { assertOpen, assertRules } from './rules.ts'
import { detachConnection, usersOf } from './users-of.ts'

const nameTaken = (_kind: string, name: string): Refusal =>
  new Refusal('NAME_TAKEN', `There is a connection named "${name}" already.`, {
    errors: [{ pointer: '#/name', detail: 'is taken' }],
  })

/** @throws Refusal NOT_FOUND */
export async function getConnection(
  context: Context,
  kind: keyof Clouds,
  nameOrId: string,
): Promise<Stored<Connection>> {
  return presentStored(await findConnectionOf(kind, context, nameOrId))
}

/** A connection that nobody has tested yet. @throws Refusal NOT_SUPPORTED, RULE_BROKEN, NAME_TAKEN */
export async function createConnection(
  context: Context,
  service: keyof Clouds,
  body: CreateConnection,
): Promise<Stored<Connection>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  assertOpen(domain, body)
  const id = uuid(now)
  const { secret_access_key, ...fields } = without(body, 'is_role_anywhere', 'role_anywhere')
  const base: StoredConnection = {
    ...commonFields(domain, id, resourceUri(domain, 'connectionmgmt', 'connections', id), now),
    name: body.name,
    service,
    category: 'cloud',
    resource_url: `/v1/connectionmgmt/services/${service}/connections/${id}`,
    products: body.products,
    labels: {},
    cloud_name: body.cloud_name,
    sts_regional_endpoints: body.sts_regional_endpoints,
    ...(secret_access_key !== undefined && { sealed: await sealSecrets(domain, id, { secret_access_key }) }),
  }
  const connection = patched(base, fields)
  changes.create(connections, domain, connection, nameTaken)
  context.about({ uri: connection.uri, name: connection.name, after: told({}, connection).after })
  return presentStored({ item: connection, rev: 1 })
}

/**
 * The record as a change leaves it, its secrets aside. Only what is present changes; `null` clears.
 * @throws Refusal NOT_SUPPORTED, RULE_BROKEN with every broken rule
 */
export function changedFields(domain: string, before: StoredConnection, body: UpdateConnection): StoredConnection {
  const { secret_access_key: secret, labels, sts_regional_endpoints: endpoints, ...others } = body
  const after = patched(before, {
    ...without(others, 'is_role_anywhere', 'role_anywhere'),
    labels: labels === null ? {} : labels,
    sts_regional_endpoints: endpoints === null ? 'legacy' : endpoints,
  })
  const { is_role_anywhere, role_anywhere } = body
  assertOpen(domain, { is_role_anywhere, role_anywhere, access_key_id: after.access_key_id })
  const hasSecret = secret === undefined ? before.sealed !== undefined : secret !== null
  assertRules({ ...after, is_role_anywhere, secret_access_key: hasSecret ? true : undefined })
  return after
}

/** A secret that is left out keeps its value. */
async function changedSecrets(
  domain: string,
  { id, sealed }: StoredConnection,
  { secret_access_key }: UpdateConnection,
): Promise<string | undefined> {
  if (secret_access_key === undefined) return sealed
  return secret_access_key === null ? undefined : sealSecrets(domain, id, { secret_access_key })
}

/** An edition of the cloud has accounts of its own: none of another's is meant. @throws Refusal IN_USE */
async function assertUnused(domain: string, { id, cloud_name }: StoredConnection): Promise<void> {
  const users = await usersOf(domain, id)
  if (users.length > 0)
    throw new Refusal('IN_USE', `${users.length} containers use the connection: it stays with ${cloud_name}.`, {
      errors: [{ pointer: '#/cloud_name', detail: `must stay ${cloud_name} while the connection is used` }],
    })
}

const TESTED = ['last_connection_ok', 'last_connection_error', 'last_connection_at'] as const

/**
 * Ours: a secret that is brought counts as another one, whatever it is.
 * @throws Refusal NOT_FOUND, VERSION_STALE, NOT_SUPPORTED, RULE_BROKEN, IN_USE for another edition of the cloud
 */
export async function updateConnection(
  context: Context,
  kind: keyof Clouds,
  nameOrId: string,
  body: UpdateConnection,
): Promise<Stored<Connection>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findConnectionOf(kind, context, nameOrId)
  honourIfMatch(context, stored)
  const { item: before, rev } = stored
  const fields = changedFields(domain, before, body)
  if (fields.cloud_name !== before.cloud_name) await assertUnused(domain, before)
  const sealed = await changedSecrets(domain, before, body)
  const isSameEntry = sealed === before.sealed && JSON.stringify(entryOf(fields)) === JSON.stringify(entryOf(before))
  const kept = without(fields, 'sealed', ...(isSameEntry ? [] : TESTED))
  const after: StoredConnection = { ...kept, ...(sealed !== undefined && { sealed }), updatedAt: now.toISOString() }
  changes.update(connections, domain, stored, after)
  context.about({ uri: after.uri, name: after.name, ...told(before, after) })
  return presentStored({ item: after, rev: rev + 1 })
}

/**
 * A connection goes; with `force` also while something uses it, which then has none.
 * @param kind unless any will do
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE
 */
export async function deleteConnection(
  context: Context,
  nameOrId: string,
  { kind, force = false }: { kind?: keyof Clouds; force?: boolean } = {},
): Promise<void> {
  const domain = context.caller.domain.id
  const stored =
    kind === undefined ? await findConnection(context, nameOrId) : await findConnectionOf(kind, context, nameOrId)
  honourIfMatch(context, stored)
  const { id, uri, name } = stored.item
  const users = await usersOf(domain, id)
  if (users.length > 0 && !force)
    throw new Refusal('IN_USE', `${users.length} containers use the connection: give them another one first, or force.`)
  if (users.length > 0) await detachConnection(context, id)
  context.changes.remove(connections, domain, stored)
  context.about({ uri, name, before: told(stored.item, {}).before })
}
