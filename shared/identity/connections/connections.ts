import { isDeepStrictEqual } from 'node:util'
import { counted } from '../../base/counted.ts'
import { Refusal, nameTaken } from '../../base/errors.ts'
import { defined, patched, without } from '../../base/fields.ts'
import type { Fields } from '../../base/json.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Stored } from '../../store/entity.ts'
import { dropEmptyMemberCount, readMemberCounts } from '../groups/member-count.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'
import { findLoginConnection } from './find-connection.ts'
import { mappingsToStore } from './group-mappings.ts'
import {
  type CreateLoginConnection,
  type LoginConnection,
  type LoginConnectionQuery,
  type UnsavedLoginConnection,
  type UpdateLoginConnection,
} from './model.ts'
import { STRATEGIES } from './strategy-names.ts'
import { presentLoginConnections, shownLoginConnection, toldOf } from './present-connection.ts'
import { sealSecret } from './secret.ts'
import { loginConnections, type StoredLoginConnection } from './store.ts'
import { ownFields, ownRuleBroken, strategyKind } from './strategies.ts'

const taken = (_kind: string, name: string): Refusal => nameTaken('connection', name)

/** @throws Refusal NOT_FOUND */
export async function getLoginConnection({ caller }: Context, nameOrId: string): Promise<Stored<LoginConnection>> {
  return shownLoginConnection(caller.domain.id, await findLoginConnection(caller.domain.id, nameOrId))
}

export const listLoginConnections = (
  { caller }: Context,
  query: LoginConnectionQuery,
): Promise<ResourceList<LoginConnection>> =>
  listed(loginConnections, caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, strategy: query.strategy },
    patterns: { name: query.name },
    matches: ({ enabled }) => enabled === query.enabled,
    matchesNarrows: query.enabled !== undefined,
    presentAll: (page) => presentLoginConnections(caller.domain.id, page),
  })

/** A record and its secret, which is not in it. */
export interface Made {
  readonly record: StoredLoginConnection
  /** `undefined` to keep what is sealed, `null` for none */
  readonly secret: string | null | undefined
}

/** The record of a body, not stored yet. @throws Refusal RULE_BROKEN, NOT_FOUND for a group */
export async function madeOf(
  { caller, now }: Context,
  body: UnsavedLoginConnection & { readonly name?: string },
): Promise<Made> {
  const domain = caller.domain.id
  const id = uuid(now)
  const { secretField, check } = await strategyKind(body.strategy)
  const own = ownFields(body)
  const secret = own[secretField] as string | undefined
  const record = loginConnections.schema.parse({
    ...commonFields(domain, id, resourceUri(domain, 'usermgmt', 'connections', id), now),
    name: '',
    ...without(body, 'group_mappings'),
    [body.strategy]: without(own, secretField),
    group_mappings: await mappingsToStore(domain, body.group_mappings),
  })
  await check(record, secret !== undefined)
  return { record, secret: secret ?? null }
}

const sealedAfter = (domain: string, { record, secret }: Made): Promise<string | undefined> | string | undefined =>
  secret === undefined ? record.sealed : secret === null ? undefined : sealSecret(domain, record.id, secret)

/** A connection that is not tested yet. @throws Refusal ACTION_DENIED, RULE_BROKEN, NOT_FOUND for a group, NAME_TAKEN */
export async function createLoginConnection(
  context: Context,
  body: CreateLoginConnection,
): Promise<Stored<LoginConnection>> {
  const { caller, changes } = context
  const domain = caller.domain.id
  await assertMayManageUsers(context)
  const made = await madeOf(context, body)
  const item = patched(made.record, { sealed: await sealedAfter(domain, made) })
  changes.create(loginConnections, domain, item, taken)
  context.about({ uri: item.uri, name: item.name, after: toldOf({}, item).after })
  return shownLoginConnection(domain, { item, rev: 1 })
}

/**
 * Refuses to tell a saved secret to somebody else than it was given for: who may change a connection must not learn it.
 * @throws Refusal RULE_BROKEN
 */
function assertToldAsBefore(
  before: StoredLoginConnection,
  after: StoredLoginConnection,
  secretField: string,
  toldBy: readonly string[],
): void {
  const [was, is] = [ownFields(before), ownFields(after)]
  const changed = toldBy.find((field) => !isDeepStrictEqual(was[field], is[field]))
  if (changed !== undefined)
    throw ownRuleBroken(
      before.strategy,
      secretField,
      `must be given again when ${changed} changes: no saved secret is sent elsewhere`,
    )
}

/**
 * The record after a change: absent fields stay, `null` clears.
 * @throws Refusal RULE_BROKEN, NOT_FOUND for a group
 */
export async function changedBy(
  { caller }: Context,
  before: StoredLoginConnection,
  body: UpdateLoginConnection,
): Promise<Made> {
  const { strategy } = before
  const other = STRATEGIES.find((name) => name !== strategy && body[name] !== undefined)
  if (other !== undefined)
    throw new Refusal('RULE_BROKEN', `The connection is of strategy ${strategy}, which is fixed.`, {
      errors: [{ pointer: `#/${other}`, detail: `goes with strategy ${other} only` }],
    })
  const { secretField, toldBy, check } = await strategyKind(strategy)
  const { [secretField]: given, ...own }: Fields = { ...body[strategy] }
  const secret = given as string | null | undefined // its schema says so
  const mappings =
    body.group_mappings === undefined
      ? before.group_mappings
      : await mappingsToStore(caller.domain.id, body.group_mappings)
  const record = loginConnections.schema.parse({
    ...patched(before, without(body, 'group_mappings', strategy)),
    group_mappings: mappings,
    [strategy]: patched(ownFields(before), own),
  })
  if (secret === undefined && before.sealed !== undefined) assertToldAsBefore(before, record, secretField, toldBy)
  await check(record, secret === undefined ? before.sealed !== undefined : secret !== null)
  return { record, secret }
}

const TESTED = ['last_connection_ok', 'last_connection_error', 'last_connection_at'] as const

/** @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, RULE_BROKEN */
export async function updateLoginConnection(
  context: Context,
  nameOrId: string,
  body: UpdateLoginConnection,
): Promise<Stored<LoginConnection>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  await assertMayManageUsers(context)
  const stored = await findLoginConnection(domain, nameOrId)
  assertIfMatch(context, stored)
  const { item: before, rev } = stored
  const made = await changedBy(context, before, body)
  const sealed = await sealedAfter(domain, made)
  const isSameEntry = sealed === before.sealed && isDeepStrictEqual(ownFields(made.record), ownFields(before))
  const item: StoredLoginConnection = {
    ...without(made.record, 'sealed', ...(isSameEntry ? [] : TESTED)),
    ...defined({ sealed }),
    updatedAt: now.toISOString(),
  }
  changes.update(loginConnections, domain, stored, item)
  context.about({ uri: item.uri, name: item.name, ...toldOf(before, item) })
  return shownLoginConnection(domain, { item, rev: rev + 1 })
}

/** @throws Refusal ACTION_DENIED, NOT_FOUND, VERSION_STALE, IN_USE while it has users */
export async function deleteLoginConnection(context: Context, nameOrId: string): Promise<void> {
  const { caller, changes } = context
  const domain = caller.domain.id
  await assertMayManageUsers(context)
  const stored = await findLoginConnection(domain, nameOrId)
  assertIfMatch(context, stored)
  const { id, uri, name } = stored.item
  const [users = 0] = await readMemberCounts(domain, [id])
  if (users > 0)
    throw new Refusal(
      'IN_USE',
      `${counted(users, 'user logs', 'users log')} in by the connection: delete them first (their list finds them by connection=${name}).`,
    )
  dropEmptyMemberCount(changes, domain, id)
  changes.remove(loginConnections, domain, stored)
  context.about({ uri, name, before: toldOf(stored.item, {}).before })
}
