import { TESTED } from '../../http/connection-test.ts'
import { isDeepStrictEqual } from 'node:util'
import { counted } from '../../base/counted.ts'
import { Refusal } from '../../base/errors.ts'
import { patched, without } from '../../base/fields.ts'
import type { Fields } from '../../base/json.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { textsOf } from '../../base/json.ts'
import type { Context } from '../../http/context.ts'
import { namedOrId } from '../../resource/records.ts'
import { resource } from '../../resource/resource.ts'
import { dropEmptyMemberCount, readMemberCounts } from '../groups/member-count.ts'
import { assertMayManageUsers } from '../may-manage-users.ts'
import { mappingsToStore } from './group-mappings.ts'
import {
  CreateLoginConnection,
  LoginConnection,
  LoginConnectionPath,
  LoginConnectionQuery,
  UpdateLoginConnection,
  type UnsavedLoginConnection,
} from './model.ts'
import { STRATEGIES } from './strategy-names.ts'
import { presentLoginConnections } from './present-connection.ts'
import { sealSecret } from './secret.ts'
import { loginConnections, type StoredLoginConnection } from './store.ts'
import { ownFields, ownRuleBroken, strategyKind } from './strategies.ts'

/**
 * Connections to external directories and identity providers, through which users log in. A new or changed connection
 * counts as untested.
 */
export const loginConnectionResource = resource({
  entity: loginConnections,
  noun: 'connection',
  title: 'Log-in Connection',
  at: '/v1/usermgmt/connections',
  path: LoginConnectionPath,
  reads: 'user-admins',
  changes: 'admins', // a changed directory can log in any of its users
  answers: LoginConnection,
  query: LoginConnectionQuery,
  createBody: CreateLoginConnection,
  updateBody: UpdateLoginConnection,
  uri: uriOf,
  find: namedOrId(loginConnections),
  audited: ['name', 'description', 'strategy', 'enabled', 'create_users', 'group_mappings', 'ldap', 'oidc'],
  sealed: { field: 'sealed', as: 'secret' },
  presentAll: (page, { caller }) => presentLoginConnections(caller.domain.id, page),
  admit: async (context, does) => {
    if (does !== 'read') await assertMayManageUsers(context)
  },
  make: async (context, body) => {
    const made = await madeOf(context, body)
    return patched(made.record, { sealed: await sealedAfter(context, made) })
  },
  next: async (context, before, body) => {
    const made = await changedBy(context, before, body)
    const sealed = await sealedAfter(context, made)
    const isSameEntry = sealed === before.sealed && isDeepStrictEqual(ownFields(made.record), ownFields(before))
    return {
      ...without(made.record, 'sealed', ...(isSameEntry ? [] : TESTED)),
      ...(sealed !== undefined && { sealed }),
    }
  },
  release: async ({ caller, changes }, { id, name }) => {
    const domain = caller.domain.id
    const [users = 0] = await readMemberCounts(domain, [id])
    if (users > 0)
      throw new Refusal(
        'IN_USE',
        `${counted(users, 'user logs', 'users log')} in by the connection: delete them first (their list finds them by connection=${name}).`,
      )
    dropEmptyMemberCount(changes, domain, id)
  },
})

function uriOf(domain: string, id: string): string {
  return resourceUri(domain, 'usermgmt', 'connections', id)
}

/** A record, and its secret separately. */
export interface Made {
  readonly record: StoredLoginConnection
  /** `undefined` keeps the stored secret, `null` removes it */
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
  const [secret] = textsOf(own[secretField])
  const record = loginConnections.schema.parse({
    ...commonFields(domain, id, uriOf(domain, id), now),
    name: '',
    ...without(body, 'group_mappings'),
    [body.strategy]: without(own, secretField),
    group_mappings: await mappingsToStore(domain, body.group_mappings),
  })
  await check(record, secret !== undefined)
  return { record, secret: secret ?? null }
}

async function sealedAfter({ caller }: Context, { record, secret }: Made): Promise<string | undefined> {
  if (secret === undefined) return record.sealed
  return secret === null ? undefined : sealSecret(caller.domain.id, record.id, secret)
}

/**
 * Refuses to send a stored secret to a new recipient: a user who may change a connection must not learn its secret.
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
 * The record after a change: absent fields are unchanged, `null` clears.
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
  const secret = typeof given === 'string' || given === null ? given : undefined
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
