import { asFound, type Context } from '../../http/context.ts'
import { Refusal, ruleBroken } from '../../base/errors.ts'
import { differences } from '../../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Stored } from '../../store/entity.ts'
import { walk } from '../../store/list.ts'
import { isKeyAdmin, mayRead } from '../keys/policies/access.ts'
import { findKey } from '../keys/lists/find-key.ts'
import { localKeys, type StoredLocalKey } from '../keys/store.ts'
import type { CreateKeyLink, KeyLink, KeyLinkQuery, UpdateKeyLink } from './model.ts'
import { keyLinks } from './store.ts'

/** Ours: every record of the key shows them. */
const LINKS_MOST = 20

/** Types of link whose target is of one kind. */
const TARGETS: Readonly<Record<string, string>> = {
  privateKey: 'Private Key',
  publicKey: 'Public Key',
  certificate: 'Certificate',
}

const nameOf = ({ type, source, target }: KeyLink): string => `${type} ${source} ${target}`

const tell = ({ about }: Context, link: KeyLink, before: Partial<KeyLink>, after: Partial<KeyLink>): void =>
  about({
    uri: link.uri,
    name: nameOf(link),
    ...differences(before, after, ['type', 'source', 'target']),
    ...asFound(before),
  })

const taken = (): Refusal =>
  new Refusal('NAME_TAKEN', 'There is such a link already.', {
    errors: [{ pointer: '#/type', detail: 'is the type of a link between these keys' }],
  })

/** @throws Refusal RULE_BROKEN */
function assertFits(type: KeyLink['type'], { objectType }: StoredLocalKey, pointer: string): void {
  const wanted = TARGETS[type]
  if (wanted !== undefined && wanted !== objectType)
    throw ruleBroken('target', `of a link ${type} must be a ${wanted}`, pointer)
}

const key = (context: Context, reference: string, field: 'source' | 'target'): Promise<Stored<StoredLocalKey>> =>
  findKey(context, reference, {}, { pointer: `#/${field}`, detail: 'is not there' })

/** Stages other links in the record of a key. */
const stageLinks = (
  { caller, changes, now }: Context,
  source: Stored<StoredLocalKey>,
  links: StoredLocalKey['links'],
): void => changes.update(localKeys, caller.domain.id, source, { ...source.item, links, updatedAt: now.toISOString() })

/**
 * Links one version of a key to another.
 * @throws Refusal NOT_FOUND, RULE_BROKEN, NAME_TAKEN, STATE_CONFLICT for too many links of one key
 */
export async function createLink(context: Context, { type, ...body }: CreateKeyLink): Promise<Stored<KeyLink>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const [source, target] = await Promise.all([key(context, body.source, 'source'), key(context, body.target, 'target')])
  if (source.item.id === target.item.id) throw ruleBroken('target', 'must be another key than source')
  assertFits(type, target.item, '#/target')
  if (source.item.links.length >= LINKS_MOST)
    throw new Refusal('STATE_CONFLICT', `A key has at most ${LINKS_MOST} links.`)
  const id = uuid(now)
  const common = commonFields(domain, id, resourceUri(domain, 'vault', 'links', id), now)
  const link: KeyLink = { ...common, type, source: source.item.id, target: target.item.id }
  changes.create(keyLinks, domain, link, taken)
  stageLinks(context, source, [...source.item.links, { type, target: link.target, id }])
  changes.update(localKeys, domain, target, target.item) // a concurrent deletion runs again and finds the link
  tell(context, link, {}, link)
  return { item: link, rev: 1 }
}

/** A link whose source the caller may see, and that source. @throws Refusal NOT_FOUND */
async function find(
  { caller }: Context,
  id: string,
): Promise<{ stored: Stored<KeyLink>; source: Stored<StoredLocalKey> }> {
  const stored = await keyLinks.get(caller.domain.id, id)
  const source = stored && (await localKeys.get(caller.domain.id, stored.item.source))
  if (stored === undefined || source === undefined || !mayRead(caller, source.item))
    throw new Refusal('NOT_FOUND', 'There is no such link.')
  return { stored, source }
}

export const getLink = async (context: Context, id: string): Promise<Stored<KeyLink>> =>
  (await find(context, id)).stored

/** @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN, NAME_TAKEN */
export async function updateLink(context: Context, id: string, { type }: UpdateKeyLink): Promise<Stored<KeyLink>> {
  const { caller, changes, now } = context
  const { stored, source } = await find(context, id)
  assertIfMatch(context, stored)
  const link = { ...stored.item, type: type ?? stored.item.type, updatedAt: now.toISOString() }
  const target = await localKeys.get(caller.domain.id, link.target)
  if (target) assertFits(link.type, target.item, '#/type')
  changes.update(keyLinks, caller.domain.id, stored, link, taken)
  const shown = source.item.links.map((one) => (one.id === id ? { ...one, type: link.type } : one))
  stageLinks(context, source, shown)
  tell(context, link, stored.item, link)
  return { item: link, rev: stored.rev + 1 }
}

/** @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteLink(context: Context, id: string): Promise<void> {
  const { stored, source } = await find(context, id)
  assertIfMatch(context, stored)
  context.changes.remove(keyLinks, context.caller.domain.id, stored)
  const left = source.item.links.filter((one) => one.id !== id)
  stageLinks(context, source, left)
  tell(context, stored.item, stored.item, {})
}

/** Ids of the keys that a caller may see. */
async function visibleKeys({ caller }: Context): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  await walk(localKeys, caller.domain.id, {
    ...{ sets: ['latest', 'former'], skip: 0, limit: 0, narrowBy: 'id' },
    matches: (row, id) => {
      if (mayRead(caller, row)) ids.add(id)
      return false
    },
  })
  return ids
}

/** The links of keys that the caller may see. */
export async function listLinks(context: Context, query: KeyLinkQuery): Promise<ResourceList<KeyLink>> {
  const seesAll = isKeyAdmin(context.caller)
  const visible = seesAll ? undefined : await visibleKeys(context)
  return listed(keyLinks, context.caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, source: query.source, target: query.target, type: query.type },
    matches: ({ source }) => visible?.has(source) === true,
    matchesNarrows: !seesAll,
    present: ({ item }) => item,
  })
}
