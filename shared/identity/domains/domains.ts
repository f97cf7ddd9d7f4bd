import { defined } from '../../base/fields.ts'
import { hasGroup, type Caller, type Context } from '../../http/context.ts'
import { counted } from '../../base/counted.ts'
import { loadedOf, type Load } from '../../base/room.ts'
import { Refusal, nameTaken, notThere } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID, commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { newDomainKey } from '../../keyring/domain-key.ts'
import type { CreateDomain, Domain, DomainQuery, UpdateDomain } from './model.ts'
import { domainKeys } from '../../keyring/domain-key-store.ts'
import { domains } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { groups } from '../groups/store.ts'
import { users } from '../users/store.ts'
import { patternTest } from '../../http/lists/patterns.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { admitAdministrators } from '../groups/guests.ts'
import { groupNamed, systemGroups } from '../groups/system-groups.ts'
import { ADMIN_GROUP } from '../groups/model.ts'
import type { DomainAuthorities } from './authority-of.ts'
import { planPurge } from './purge-domain.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    readonly contents?: Load<readonly DomainContents[]>
  }
}

/** Records that prevent the deletion of their domain. */
interface DomainContents {
  /** singular, and the remedy: `key`, `deleted` */
  readonly noun: string
  readonly done: string
  readonly countIn: (domain: string) => Promise<number>
  /** Items of the same noun that are deleted with the domain, and do not prevent its deletion. */
  readonly goWithDomain?: true
}

const taken = (_kind: string, name: string): Refusal => nameTaken('domain', name)

const isRoot = ({ domain }: Caller): boolean => domain.id === ROOT_DOMAIN_ID

/** A domain that the caller may see: any for the root domain, only its own for a child domain. */
async function visible({ caller }: Context, id: string): Promise<Stored<Domain>> {
  const stored = isRoot(caller) || caller.domain.id === id ? await domains.get(ROOT_DOMAIN_ID, id) : undefined
  if (stored === undefined) throw notThere('There is no such domain.')
  return stored
}

export const getDomain = visible

export const presentDomain = (context: Context): Promise<Stored<Domain>> => visible(context, context.caller.domain.id)

export async function listDomains(context: Context, query: DomainQuery): Promise<ResourceList<Domain>> {
  const { caller } = context
  const own = caller.domain.id
  const isNamed = query.name && patternTest(query.name)
  return listed(domains, ROOT_DOMAIN_ID, query, {
    served: 'all',
    ids: 'untimed', // the root domain's id does not contain its creation time
    matchesNarrows: query.name !== undefined || query.id !== undefined || !isRoot(caller),
    matches: (row) =>
      (isRoot(caller) || row.id === own) &&
      (query.id?.includes(row.id) ?? true) &&
      (isNamed === undefined || isNamed(row.name)),
    narrowBy: 'name',
    present: ({ item }) => item,
  })
}

async function planAuthority(...of: Parameters<DomainAuthorities['plan']>): Promise<string | undefined> {
  const [authorities] = await loadedOf('domainAuthorities')
  return authorities?.plan(...of)
}

/**
 * Creates a child domain with its own key, groups and certificate authority. Its administrators are users of the root domain.
 * @throws Refusal ACTION_DENIED outside the root domain, NOT_FOUND for a missing administrator or authority, STATE_CONFLICT for
 * an authority that is not active, NAME_TAKEN
 */
export async function createDomain(context: Context, body: CreateDomain): Promise<Domain> {
  const { caller, changes, now } = context
  if (!isRoot(caller)) throw new Refusal('ACTION_DENIED', 'Domains are made in the root domain.')
  const wanted = [...new Set(body.admins)]
  const found = await users.getMany(ROOT_DOMAIN_ID, wanted)
  const missing = body.admins.flatMap((id, at) =>
    found.some(({ item }) => item.user_id === id)
      ? []
      : [{ pointer: `#/admins/${at}`, detail: 'is no user of the root domain' }],
  )
  if (missing.length > 0)
    throw new Refusal('NOT_FOUND', 'Not every administrator is a user of the root domain.', { errors: missing })
  const id = uuid(now)
  const parentCaId = await planAuthority(context, { id, name: body.name }, body.parent_ca_id)
  const domain: Domain = {
    ...commonFields(ROOT_DOMAIN_ID, id, resourceUri(ROOT_DOMAIN_ID, 'admin', 'domains', id), now),
    name: body.name,
    parent_domain_id: ROOT_DOMAIN_ID,
    admins: wanted,
    allow_user_management: body.allow_user_management,
    ...defined({ parent_ca_id: parentCaId }),
    kek_version: 0,
    ...(body.meta && { meta: body.meta }),
  }
  changes.create(domains, ROOT_DOMAIN_ID, domain, taken)
  changes.create(domainKeys, id, await newDomainKey(id, 0, now))
  const system = systemGroups(now)
  for (const group of system) changes.create(groups, id, group)
  admitAdministrators(changes, id, groupNamed(system, ADMIN_GROUP), found, now)
  context.about({ uri: domain.uri, name: domain.name, after: { name: domain.name, admins: wanted } })
  return domain
}

/**
 * @throws Refusal NOT_FOUND, NAME_TAKEN, STATE_CONFLICT for the root domain's name, ACTION_DENIED for a child's own
 * flags
 */
export async function updateDomain(context: Context, id: string, body: UpdateDomain): Promise<Stored<Domain>> {
  const { caller, changes, now } = context
  const stored = await visible(context, id)
  assertIfMatch(context, stored)
  if (!isRoot(caller)) throw new Refusal('ACTION_DENIED', 'A domain is changed from the root domain.')
  if (id === ROOT_DOMAIN_ID && body.name !== undefined && body.name !== stored.item.name)
    throw new Refusal('STATE_CONFLICT', 'The root domain keeps its name.')
  const { meta: _, ...rest } = stored.item
  const meta = body.meta === undefined ? stored.item.meta : (body.meta ?? undefined)
  const domain: Domain = {
    ...rest,
    name: body.name ?? rest.name,
    allow_user_management: body.allow_user_management ?? rest.allow_user_management,
    updatedAt: now.toISOString(),
    ...(meta && { meta }),
  }
  changes.update(domains, ROOT_DOMAIN_ID, stored, domain, taken)
  context.about({
    uri: domain.uri,
    name: domain.name,
    before: { name: rest.name },
    after: { name: domain.name },
    record: stored.item,
  })
  return { item: domain, rev: stored.rev + 1 }
}

/** @throws Refusal IN_USE */
async function assertEmpty(domain: string): Promise<void> {
  const contents = (await loadedOf('contents')).flat()
  const all = await Promise.all(
    contents.map(async (each) => ({ ...each, count: (each.goWithDomain ? -1 : 1) * (await each.countIn(domain)) })),
  )
  for (const [noun, [first, ...others]] of Map.groupBy(all, ({ noun }) => noun)) {
    const count = others.reduce((sum, other) => sum + other.count, first?.count ?? 0)
    if (count > 0) throw new Refusal('IN_USE', `${counted(count, noun)} of the domain must be ${first?.done} first.`)
  }
}

/**
 * Deletes a domain: log-ins end at once, and its items are removed in the background. Its audit records are kept for
 * ninety days.
 * @throws Refusal NOT_FOUND, IN_USE while it contains keys or containers, STATE_CONFLICT for the root domain
 */
export async function deleteDomain(context: Context, id: string): Promise<void> {
  const { caller, changes, now } = context
  const stored = await visible(context, id)
  assertIfMatch(context, stored)
  if (id === ROOT_DOMAIN_ID) throw new Refusal('STATE_CONFLICT', 'The root domain cannot be deleted.')
  if (!isRoot(caller) || !hasGroup(caller, 'admin'))
    throw new Refusal('ACTION_DENIED', 'A domain is deleted from the root domain.')
  await assertEmpty(id)
  changes.remove(domains, ROOT_DOMAIN_ID, stored)
  planPurge(changes, id, now)
  context.about({ uri: stored.item.uri, name: stored.item.name, record: stored.item })
}
